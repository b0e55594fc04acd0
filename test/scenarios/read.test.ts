import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readScenario } from '../../src/scenarios/read.js';
import { expectation, scenario, verbNames } from '../../src/scenarios/schema.js';

const create = '  - create: { amount: 1, currency: EUR, customer: c_1 }\n    as: order\n';

const problemsOf = (text: string, set?: Record<string, string>) =>
  readScenario('a.yaml', text, set).problems.map(
    ({ line, column, problem }) => `${line}:${column} ${problem}`,
  );

describe('a scenario file', () => {
  it('may write ${name} with quotes and without them, also between braces', () => {
    const text = `name: a\nsteps:\n${create}  - refund: { payment: \${order} }\n  - capture: { payment: '\${order}' }\n`;
    const { scenario: read, problems } = readScenario('a.yaml', text);
    expect(problems).toEqual([]);
    expect(read?.steps.map(({ input }) => input)).toMatchObject([
      { amount: 1 },
      { payment: '${order}' },
      { payment: '${order}' },
    ]);
  });

  it('may write a day for the clock, and a reference for a value that is checked', () => {
    const more = '  - create: { amount: 1, currency: "${order.currency}", customer: c }\n';
    expect(problemsOf(`name: a\nsteps:\n${create}  - clock: { set: 2027-01-01 }\n${more}`)).toEqual([]);
  });

  const mistakes: Array<[what: string, text: string, problems: string[]]> = [
    [
      'is no YAML',
      'name: [\n',
      ['2:1 Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['is empty', '', ['1:1 the file must be a mapping']],
    ['has no name and no steps', 'description: x\n', ['1:1 name is required', '1:1 steps is required']],
    [
      'has values that the flags would not take',
      `name: a\nsteps:\n  - create: { amount: 1, currency: eur, customer: c, email: foo, return-url: nope, webhook-url: ftp }\n`,
      [
        '3:36 currency cannot be eur: use three capital letters, did you mean EUR?',
        '3:61 email cannot be foo: an e-mail address, for example buyer@example.org',
        '3:78 return-url cannot be nope: a web address, for example https://shop.example/done',
        '3:97 webhook-url cannot be ftp: a web address, for example https://shop.example/done',
      ],
    ],
    [
      'names a customer without its key',
      'name: a\nsteps:\n  - customers: { methods: c_1 }\n',
      ['3:27 methods must be a mapping with customer'],
    ],
    ['has no step', 'name: a\nsteps: []\n', ['2:8 steps must have at least one step']],
    [
      'has an unknown key',
      `name: a\nstepz: 1\nsteps:\n${create}`,
      ['2:1 unknown key stepz; did you mean steps?'],
    ],
    [
      'has an unknown verb',
      `name: a\nsteps:\n${create}  - refnd: { payment: x }\n`,
      ['5:5 unknown key refnd; did you mean refund?'],
    ],
    [
      'has a step without a verb',
      `name: a\nsteps:\n${create}  - as: x\n`,
      [`5:5 a step needs one of ${verbNames.join(', ')} or expect`],
    ],
    [
      'has two verbs in a step, and another mistake',
      `name: a\nsteps:\n  - refund: { payment: x }\n    capture: { payment: x, wait: 1 }\n`,
      ['4:5 a step does one thing; refund is there already', '4:34 wait must be true or false'],
    ],
    [
      'has wrong types',
      `name: a\nseed: x\nsteps:\n  - refund: { payment: x, wait: 1 }\n    expect: { exit: no, state: Paid }\n`,
      [
        '2:7 seed must be a whole number',
        '4:33 wait must be true or false',
        '5:21 exit must be a whole number',
        expect.stringMatching(/^5:32 state must be one of Created, /) as string,
      ],
    ],
    [
      'has a bad amount, duration and instant',
      `name: a\nclock: soon\nsteps:\n  - create: { amount: 1.234, currency: EUR, customer: c }\n  - clock: { advance: tomorrow }\n`,
      [
        '2:8 clock must be an instant such as 2026-01-01T00:00:00Z, or a day',
        '4:23 amount must be an amount, for example 49.90',
        '5:23 advance must be a duration such as 500ms, 30s, 5m, 24h or 7d',
      ],
    ],
    [
      'refers to what is not there yet',
      `name: a\nsteps:\n  - refund: { payment: \${order} }\n${create}  - refund: { payment: \${ordre} }\n`,
      [
        '3:24 unknown name ${order}; no earlier step has as: order',
        '6:24 unknown name ${ordre}; did you mean ${order}?',
      ],
    ],
    [
      'expects something of nothing',
      'name: a\nsteps:\n  - expect: { state: Created }\n',
      ['3:5 expect without a verb needs a payment or a customer'],
    ],
    [
      'has an action too few, and one too many',
      'name: a\nsteps:\n  - clock: {}\n  - fault: { add: latency, clear: all }\n',
      ['3:5 clock needs exactly one action', '4:5 fault needs either add or clear'],
    ],
  ];
  it.each(mistakes)('that %s is told so, with line and column', (_, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it('takes the type of what --set replaces', () => {
    const text = `name: a\nset: { amount: 5, customer: c_1 }\nsteps:\n  - create: { amount: '\${amount}', currency: EUR, customer: '\${customer}' }\n`;
    expect(readScenario('a.yaml', text).scenario?.steps[0]?.input).toMatchObject({ amount: 5 });
    const set = { amount: '7.50', customer: '42' };
    expect(readScenario('a.yaml', text, set).scenario?.steps[0]?.input).toMatchObject({
      amount: 7.5,
      customer: '42',
    });
    expect(problemsOf(text, { amount: 'much' })).toEqual([
      '4:23 amount must be an amount, for example 49.90',
    ]);
  });
});

describe('docs/scenarios.md', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/scenarios.md', import.meta.url)), 'utf8');
  const keys = [...Object.keys(scenario.shape), ...verbNames, ...Object.keys(expectation.shape)];

  it.each(keys)('tells of %s', (key) => {
    expect(page).toContain(`\`${key}`);
  });
});
