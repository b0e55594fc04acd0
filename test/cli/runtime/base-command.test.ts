import { Args } from '@oclif/core';
import { boolean, option, string } from '@oclif/core/flags';
import { describe, expect, it } from 'vitest';
import { BaseCommand } from '../../../src/cli/runtime/base-command.js';
import { paydesk } from '../../../src/next-command.js';
import {
  GuardError,
  InterruptedError,
  NotReachedError,
  PartialError,
  PendingError,
  ProfileError,
  ServiceError,
  TemporaryError,
  UnknownOutcomeError,
  UsageError,
} from '../../../src/errors.js';
import type { ListView } from '../../../src/output/rows.js';
import { amountFlag, currencyFlag, idFlag, listFlagsFor, urlFlag } from '../../../src/cli/flags/flags.js';
import { commandPiece, joinPieces } from '../../../src/output/lines.js';
import { createRedactor } from '../../../src/redact.js';
import { StoreError } from '../../../src/store/errors.js';
import { runInProcess } from '../../helpers/in-process.js';

class Create extends BaseCommand {
  static override flags = {
    amount: amountFlag({ required: true, summary: 'How much, in major units.' }),
    currency: currencyFlag({ required: true, summary: 'Currency, for example EUR.' }),
    customer: idFlag({ required: true, summary: 'Your customer ID.' }),
    'return-url': urlFlag({ required: true, summary: 'Page that the customer returns to after paying.' }),
    tag: string({ multiple: true }),
    flow: option({ options: ['hosted-page', 'plain'] as const })(),
    sandbox: boolean({ exclusive: ['live'] }),
    live: boolean(),
    capture: boolean({ allowNo: true }),
  };

  override async run() {
    const { flags } = await this.parse(Create);
    return this.show({ amount: flags.amount, tag: flags.tag }, ({ amount }) => [`amount ${amount}`]);
  }
}

const good = [
  '--amount',
  '10.23',
  '--currency',
  'EUR',
  '--customer',
  'c1',
  '--return-url',
  'https://a.example',
];

const throwing = (error: unknown) =>
  class extends BaseCommand {
    override async run(): Promise<unknown> {
      await this.parse();
      throw error;
    }
  };

const returning = (value: unknown) =>
  class extends BaseCommand {
    override async run(): Promise<unknown> {
      await this.parse();
      return value;
    }
  };

describe('what was typed', () => {
  it('tells everything that is wrong at once', async () => {
    const { stderr, stdout, code } = await runInProcess(Create, ['--amount', '10.234', '--currency', 'eur']);
    expect(stderr).toBe(
      [
        'Error: 2 invalid values and 2 missing values.',
        '  --amount 10.234  must have at most two decimals, for example 10.23',
        '  --currency eur   use three capital letters, did you mean EUR?',
        '  --customer       missing: your customer ID',
        '  --return-url     missing: page that the customer returns to after paying',
        '  Next:  paydesk fixture --help',
        '',
      ].join('\n'),
    );
    expect(stdout).toBe('');
    expect(code).toBe(2);
  });

  it('tells the same as JSON', async () => {
    const { stderr, stdout, code } = await runInProcess(Create, [
      '--amount',
      '10.234',
      ...good.slice(2),
      '--json',
    ]);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'usage',
        message: 'Invalid value.',
        exit: 2,
        details: [
          {
            input: '--amount',
            value: '10.234',
            problem: 'must have at most two decimals, for example 10.23',
          },
        ],
        next: ['paydesk fixture --help'],
      },
    });
    expect(stderr).toBe(
      'Error: Invalid value.\n  --amount 10.234  must have at most two decimals, for example 10.23\n',
    );
    expect(code).toBe(2);
  });

  it.each([
    [['--amount', '1', ...good], '--amount 1, 10.23', 'used twice'],
    [[...good, '--amuont', '1'], '--amuont', 'did you mean --amount?'],
    [[...good, 'extra'], 'extra', 'unexpected argument'],
    [[...good, '--flow', 'hosted'], '--flow hosted', 'did you mean hosted-page?'],
    [[...good, '--sandbox', '--live'], '--sandbox', 'cannot be used together with --live'],
    [[...good, '--capture', '--no-capture'], '--capture', 'used together with --no-capture'],
    [[...good, '--tag'], '--tag', 'requires a value'],
    [[...good.slice(2), '--amount'], '--amount', 'requires a value'],
    [['--amount', ...good.slice(2)], '--amount', 'requires a value'],
    [[...good, '--timeout', '30'], '--timeout 30', '30s'],
  ])('refuses %j', async (argv, input, problem) => {
    const { stderr, code } = await runInProcess(Create, argv);
    expect(code).toBe(2);
    const line = stderr.split('\n').find((text) => text.startsWith(`  ${input}  `));
    expect(line, stderr).toContain(problem);
    expect(stderr).not.toContain('missing');
  });

  it('goes on reading after a flag without its value', async () => {
    const { stderr } = await runInProcess(Create, ['--customer', '--currency', 'eur', '--amount']);
    expect(stderr).toContain('Error: 3 invalid values and 1 missing value.');
  });

  it('takes what is right', async () => {
    const { result, stdout, stderr, code } = await runInProcess(Create, [
      ...good,
      '--tag',
      'a',
      '--tag',
      'b',
    ]);
    expect(result).toEqual({ amount: '10.23', tag: ['a', 'b'] });
    expect({ stdout, stderr, code }).toEqual({ stdout: 'amount 10.23\n', stderr: '', code: 0 });
  });

  it('shows missing values on a terminal too when the command cannot ask', async () => {
    const { stderr, code } = await runInProcess(Create, good.slice(2), { terminal: true });
    expect(stderr).toContain('Error: Missing value.\n  --amount  missing: how much, in major units\n');
    expect(code).toBe(2);
  });

  it('asks on a terminal, and never with --no-input or in CI', async () => {
    class Asking extends Create {
      protected override async ask(missing: ReadonlyArray<{ name: string }>) {
        return Object.fromEntries(missing.map(({ name }) => [name, '7.00']));
      }
    }
    const argv = good.slice(2);
    expect((await runInProcess(Asking, argv, { terminal: true })).stdout).toBe('amount 7.00\n');
    expect((await runInProcess(Asking, argv)).code).toBe(2);
    expect((await runInProcess(Asking, [...argv, '--no-input'], { terminal: true })).code).toBe(2);
    expect((await runInProcess(Asking, argv, { terminal: true, env: { CI: '1' } })).code).toBe(2);
    expect((await runInProcess(Asking, argv, { terminal: true, env: { CI: 'false' } })).code).toBe(0);
  });

  it('reads arguments, several where that is meant, and never from a pipe by itself', async () => {
    class Get extends BaseCommand {
      static override args = {
        payment: Args.string({ required: true, multiple: true, description: 'Which.' }),
      };
      override async run() {
        return (await this.parse(Get)).args;
      }
    }
    expect((await runInProcess(Get, ['1', '-', 'x'])).result).toEqual({ payment: ['1', '-', 'x'] });
    const { stderr, code } = await runInProcess(Get, []);
    expect(stderr).toContain('Error: Missing value.\n  PAYMENT  missing: which\n');
    expect(code).toBe(2);
  });
});

describe('errors', () => {
  it.each([
    [ServiceError, 1],
    [UsageError, 2],
    [NotReachedError, 3],
    [ProfileError, 4],
    [TemporaryError, 5],
    [UnknownOutcomeError, 6],
    [PartialError, 7],
    [PendingError, 8],
    [GuardError, 9],
    [InterruptedError, 130],
  ])('%o exits with %i, as text and as JSON', async (Type, exit) => {
    const error = new Type('It went wrong.', {
      code: 'some-code',
      details: { requestId: 'r-1' },
      httpStatus: 422,
      next: [paydesk('payments', 'get', '1')],
    });
    const text = await runInProcess(throwing(error), []);
    expect(text.code).toBe(exit);
    expect(text.stdout).toBe('');
    expect(text.stderr).toContain('It went wrong.\n  requestId  r-1\n');
    expect(text.stderr).toContain('Next:  paydesk payments get 1\n');
    const json = await runInProcess(throwing(error), ['--json']);
    expect(json.code).toBe(exit);
    expect(json.stderr).toMatch(/^(Error: )?It went wrong\.\n$/);
    expect(JSON.parse(json.stdout)).toEqual({
      error: {
        code: 'some-code',
        message: 'It went wrong.',
        exit,
        httpStatus: 422,
        details: { requestId: 'r-1' },
        next: ['paydesk payments get 1'],
      },
    });
  });

  it('tells each field that the service found wrong on a line of its own, and nothing twice', async () => {
    const fieldErrors = [
      { path: 'amount', message: 'must be more than 0' },
      { path: 'currency', message: 'is not supported' },
    ];
    const details = { code: 'invalid', fieldErrors, requestId: 'r-1' };
    const error = new ServiceError('The request has invalid fields.', { code: 'invalid', details });
    expect((await runInProcess(throwing(error), [])).stderr).toBe(
      [
        'Error: The request has invalid fields.',
        '  amount     must be more than 0',
        '  currency   is not supported',
        '  requestId  r-1',
        '',
      ].join('\n'),
    );
    const one = new ServiceError('currency is not supported', {
      code: 'invalid',
      details: { fieldErrors: fieldErrors.slice(1) },
    });
    expect((await runInProcess(throwing(one), [])).stderr).toBe('Error: currency is not supported\n');
  });

  it('tells a database problem in its own words', async () => {
    const { stderr, code } = await runInProcess(
      throwing(new StoreError('store-held', 'Another one holds it.')),
      [],
    );
    expect(stderr).toBe('Error: Another one holds it.\n');
    expect(code).toBe(1);
  });

  it('shows the commands that fix a database before all others, whoever reports it', async () => {
    const cause = new StoreError('store-unusable', 'Others can write.', {
      fix: [['chmod', '600', 'a b.db']],
    });
    const wrapped = new TemporaryError('The ledger cannot be used.', {
      code: 'ledger-unavailable',
      next: [paydesk('doctor')],
      cause,
    });
    expect((await runInProcess(throwing(cause), [])).stderr).toContain("Next:  chmod 600 'a b.db'\n");
    const { stdout } = await runInProcess(throwing(wrapped), ['--json']);
    expect(JSON.parse(stdout)).toMatchObject({ error: { next: ["chmod 600 'a b.db'", 'paydesk doctor'] } });
  });

  it('calls a bug a bug, with its stack only for --debug', async () => {
    const bug = new TypeError('x is undefined');
    const plain = await runInProcess(throwing(bug), []);
    expect(plain.stderr).toMatch(
      /^Error: This is a bug in paydesk: TypeError: x is undefined\n.*--debug.*\n$/,
    );
    expect(plain.code).toBe(1);
    expect((await runInProcess(throwing(bug), ['--debug'])).stderr).toMatch(/\n +at /);
    expect((await runInProcess(throwing(bug), [], { env: { PAYDESK_DEBUG: '1' } })).stderr).toMatch(
      /\n +at /,
    );
    expect(JSON.parse((await runInProcess(throwing(bug), ['--json'])).stdout)).toMatchObject({
      error: { code: 'bug', exit: 1 },
    });
    expect((await runInProcess(throwing('just text'), [])).code).toBe(1);
  });

  it('leaves a prompt quietly', async () => {
    const left = Object.assign(new Error('User force closed the prompt'), { name: 'ExitPromptError' });
    expect(await runInProcess(throwing(left), [])).toMatchObject({ stdout: '', stderr: '', code: 130 });
    expect(JSON.parse((await runInProcess(throwing(left), ['--json'])).stdout)).toMatchObject({
      error: { code: 'interrupted', exit: 130 },
    });
  });

  it('keeps the key of the environment out of errors, before anything has asked for it', async () => {
    const key = 'sk_live_canary9876';
    const error = new UsageError(`There is no ${key}.`, { code: 'usage' });
    for (const argv of [[], ['--json'], ['--debug']]) {
      const { stdout, stderr } = await runInProcess(throwing(error), argv, { env: { PAYDESK_API_KEY: key } });
      expect(stdout + stderr).toContain('[redacted]');
      expect(stdout + stderr).not.toContain(key);
    }
  });

  it('keeps secrets out of stderr, error JSON and stacks', async () => {
    const secrets = createRedactor();
    secrets.add('sk_canary/1234');
    const error = new ServiceError('refused sk_canary/1234', {
      code: 'x',
      details: { url: 'https://h/?k=sk_canary%2F1234', header: 'Bearer other-token' },
      cause: new Error('caused by sk_canary/1234'),
    });
    for (const argv of [[], ['--json'], ['--debug'], ['--json', '--debug']]) {
      const { stdout, stderr } = await runInProcess(throwing(error), argv, { secrets });
      expect(stdout + stderr).toContain('[redacted]');
      expect(stdout + stderr).not.toMatch(/canary|other-token/);
    }
  });

  it('lets no control character of a message through', async () => {
    const error = new ServiceError('bad \u001B[31mred\u202E', { code: 'x', details: 'a\u009Bb' });
    const { stderr } = await runInProcess(throwing(error), [], { terminal: true });
    expect(stderr).toContain('bad \\u{1b}[31mred\\u{202e}\n  a\\u{9b}b\n');
  });
});

describe('notes', () => {
  class Noting extends BaseCommand {
    override async run(): Promise<void> {
      await this.parse();
      const words = 'a few words that go on and on until the line is full';
      this.note(words, joinPieces('  ', commandPiece(paydesk(...words.split(' ')))));
      this.trace?.(words);
    }
  }

  it('are wrapped on a terminal, a command so that it can be copied, and a debug line not at all', async () => {
    const { stderr } = await runInProcess(Noting, ['--debug'], { terminal: true, columns: 40 });
    expect(stderr.split('\n')).toEqual([
      'a few words that go on and on until the',
      'line is full',
      '  paydesk a few words that go on and \\',
      '      on until the line is full',
      'debug: a few words that go on and on until the line is full',
      '',
    ]);
    expect((await runInProcess(Noting, [])).stderr.split('\n')).toHaveLength(3);
  });

  it('have the chosen profile in their commands', async () => {
    class Advising extends BaseCommand {
      override async run(): Promise<void> {
        await this.parse();
        this.note(joinPieces('Check it with: ', commandPiece(paydesk('payments', 'check', '7'))));
      }
    }
    const { stderr } = await runInProcess(Advising, ['-p', 'shop']);
    expect(stderr).toBe('Check it with: paydesk payments check 7 --profile shop\n');
    expect((await runInProcess(Advising, [])).stderr).toBe('Check it with: paydesk payments check 7\n');
  });
});

describe('results', () => {
  it.each([[false], [0], [''], [null], [[]]])('prints %j as JSON', async (value) => {
    expect(await runInProcess(returning(value), ['--json'])).toMatchObject({
      stdout: `${JSON.stringify(value)}\n`,
      code: 0,
    });
  });

  it('prints nothing of the result without --json', async () => {
    expect((await runInProcess(returning({ a: 1 }), [])).stdout).toBe('');
  });

  it('filters with jq, and refuses a broken filter before running', async () => {
    let ran = 0;
    class Counting extends BaseCommand {
      override async run() {
        await this.parse();
        ran++;
        return { a: 'x\ty', list: [1, 2], id: 10 };
      }
    }
    expect((await runInProcess(Counting, ['--jq', '.a'])).stdout).toBe('x\ty\n');
    const control = ['--jq', '"a\\rb\\u001b[31me"'];
    expect((await runInProcess(Counting, control)).stdout).toBe('a\rb\u001B[31me\n');
    expect((await runInProcess(Counting, control, { terminal: true })).stdout).toBe('a\\u{d}b\\u{1b}[31me\n');
    expect((await runInProcess(Counting, ['--jq=.list[]'])).stdout).toBe('1\n2\n');
    expect(JSON.parse((await runInProcess(Counting, ['--jq', '{id}'])).stdout)).toEqual({ id: 10 });
    expect(ran).toBe(5);
    const broken = await runInProcess(Counting, ['--jq', '.[']);
    expect(broken.code).toBe(2);
    expect(JSON.parse(broken.stdout)).toMatchObject({ error: { code: 'bad-filter' } });
    expect(ran).toBe(5);
  });

  it('refuses no filter that can be compiled, whatever it does without data', async () => {
    const { code } = await runInProcess(returning({ a: 1 }), [
      '--jq',
      'if . == null then halt_error(3) else .a end',
    ]);
    expect(code).toBe(0);
  });

  it('says that a filter failed after its first results', async () => {
    const { stdout, code } = await runInProcess(returning({ id: 10 }), ['--jq', '.id, error("no more")']);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'bad-filter', message: 'Invalid --jq filter: no more' },
    });
    expect(code).toBe(2);
  });

  const failing = { '--jq': '.id.x', why: 'Cannot index number with string "x"' };

  it('says what a command did whose result cannot be filtered', async () => {
    class Refund extends BaseCommand {
      override async run() {
        await this.parse();
        this.sent.assumeSome();
        return { id: 10 };
      }
    }
    const { stdout, stderr, code } = await runInProcess(Refund, ['--jq', failing['--jq']]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'filter-failed', exit: 1, details: { result: { id: 10 } } },
    });
    expect(stderr.replaceAll('\n', ' ')).toContain(`carried out, but the --jq filter failed: ${failing.why}`);
    expect(stderr).toContain('{"id":10}');
    expect(code).toBe(1);
  });

  it('refuses the filter where the command has changed nothing', async () => {
    const { stdout, stderr, code } = await runInProcess(returning({ id: 10 }), ['--jq', failing['--jq']]);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'bad-filter', exit: 2 } });
    expect(stderr).toBe(`Error: Invalid --jq filter: ${failing.why}\n`);
    expect(code).toBe(2);
  });

  it('keeps its own ending when the filter fails', async () => {
    class Bounced extends BaseCommand {
      override async run() {
        await this.parse();
        this.endAs(
          new NotReachedError('It bounced back.', { code: 'bounced', next: [paydesk('payments', 'get', 5)] }),
        );
        return { id: 10 };
      }
    }
    const { stdout, stderr, code } = await runInProcess(Bounced, ['--jq', failing['--jq']]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'bounced', exit: 3, details: { 'filter-failed': failing.why, result: { id: 10 } } },
    });
    expect(stderr).toContain('Error: It bounced back.');
    expect(stderr).toContain('{"id":10}');
    expect(stderr).toContain('paydesk payments get 5');
    expect(code).toBe(3);
  });

  it('filters errors too, and says on stderr what the filter leaves out', async () => {
    const error = new ServiceError('It was refused.\nFor a reason.', { code: 'refused' });
    const code = await runInProcess(throwing(error), ['--jq', '.error.code']);
    const stderr = 'Error: It was refused.\n  For a reason.\n';
    expect(code).toMatchObject({ stdout: 'refused\n', stderr, code: 1 });
    const whole = await runInProcess(throwing(error), ['--jq', '.error.code.x']);
    expect(JSON.parse(whole.stdout)).toMatchObject({ error: { code: 'refused' } });
    expect(whole).toMatchObject({ stderr, code: 1 });
  });

  it('leaves the exit code of the process alone', async () => {
    const before = process.exitCode;
    await runInProcess(returning({ id: 10 }), ['--jq', failing['--jq']]);
    expect(process.exitCode).toBe(before);
  });

  it('has the code of what happened before it prints that, so that no signal can change it', async () => {
    const unknown = new UnknownOutcomeError('Nobody knows.', { code: 'outcome-unknown' });
    const steps: Array<number | string> = [];
    const onExitCode = (code: number) => void steps.push(code);
    const onWrite = () => void steps.push('printed');
    await runInProcess(throwing(unknown), ['--json'], { onExitCode, onWrite });
    expect(steps).toEqual([6, 'printed', 6]);
  });

  it('shows the result and ends as an error', async () => {
    class Bounced extends BaseCommand {
      override async run() {
        await this.parse();
        this.endAs(new NotReachedError('It bounced back.', { code: 'bounced' }));
        return this.show({ outcome: 'failed' }, () => ['Captured → Captured']);
      }
    }
    expect(await runInProcess(Bounced, [])).toMatchObject({
      stdout: 'Captured → Captured\n',
      stderr: 'Error: It bounced back.\n',
      code: 3,
    });
    const json = await runInProcess(Bounced, ['--json']);
    expect(json).toMatchObject({ stderr: 'Error: It bounced back.\n', code: 3 });
    expect(JSON.parse(json.stdout)).toEqual({ outcome: 'failed' });
  });

  it('streams JSON lines, and an error as the last of them', async () => {
    class Lines extends BaseCommand {
      override async run() {
        await this.parse();
        await this.emit({ event: 'ready' });
        throw new PendingError('Time.', { code: 'time-up' });
      }
    }
    const { stdout, code } = await runInProcess(Lines, ['--json']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([{ event: 'ready' }, { error: { code: 'time-up' } }]);
    expect(code).toBe(8);
  });

  const view: ListView<{ id: string; name: string }> = {
    empty: 'None.',
    columns: [
      { key: 'id', align: 'right', number: true, value: ({ id }) => id },
      { key: 'name', value: ({ name }) => name },
      { key: 'twice', extra: true, value: ({ id }) => id + id },
    ],
  };
  class List extends BaseCommand {
    static override flags = listFlagsFor(view);
    override async run() {
      await this.parse(List);
      const rows = [
        { id: '1', name: '=evil' },
        { id: '2', name: 'böb' },
      ];
      return this.showList(rows, view);
    }
  }

  it('gives lists as a table, as rows, as CSV, as chosen columns, as JSON', async () => {
    expect((await runInProcess(List, [], { terminal: true })).stdout).toBe(
      '  id  name\n   1  =evil\n   2  böb\n',
    );
    expect((await runInProcess(List, [])).stdout).toBe('1\t=evil\n2\tböb\n');
    expect((await runInProcess(List, ['--csv'])).stdout).toBe("id,name\n1,'=evil\n2,böb\n");
    expect((await runInProcess(List, ['--columns', 'twice,id'])).stdout).toBe('11\t1\n22\t2\n');
    expect(JSON.parse((await runInProcess(List, ['--json'])).stdout)).toHaveLength(2);
    const unknown = await runInProcess(List, ['--columns', 'nmae']);
    expect(unknown.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'there is no nmae; choose from id, name, twice. Did you mean name?',
    );
    expect(unknown.code).toBe(2);
    expect((await runInProcess(List, ['--csv', '--json'])).code).toBe(2);
    expect((await runInProcess(List, ['--columns', 'id', '--jq', '.'])).code).toBe(2);
  });

  it('refuses a column that is not there before doing anything', async () => {
    let ran = false;
    class Refund extends BaseCommand {
      static override flags = listFlagsFor({ columns: [{ key: 'payment' }, { key: 'outcome' }] });
      override async run() {
        const { flags } = await this.parse(Refund);
        ran = true;
        return flags.columns;
      }
    }
    const { stderr, code } = await runInProcess(Refund, ['--columns', 'payment,outcom']);
    expect(stderr).toContain('there is no outcom; choose from payment, outcome.');
    expect(stderr).toContain('Did you mean outcome?');
    expect({ code, ran }).toEqual({ code: 2, ran: false });
    expect((await runInProcess(Refund, ['--columns', 'outcome'])).result).toEqual(['outcome']);
  });
});

describe('time and interruption', () => {
  class Waiting extends BaseCommand {
    override async run() {
      await this.parse();
      await new Promise((_, reject) => {
        this.signal.addEventListener('abort', () => reject(this.signal.reason as Error));
      });
    }
  }
  class Deaf extends BaseCommand {
    override async run() {
      await this.parse();
      await new Promise(() => {});
    }
  }

  it.each([[Waiting], [Deaf]])('ends %o when the time is up', async (Class) => {
    const { stderr, code } = await runInProcess(Class, ['--timeout', '20ms']);
    expect(stderr).toContain('ran out of time');
    expect(code).toBe(8);
  });

  it.each([[Waiting], [Deaf]])('ends %o on Ctrl-C, quietly', async (Class) => {
    const onStart = (interrupt: () => void) => void setImmediate(interrupt);
    expect(await runInProcess(Class, [], { onStart })).toMatchObject({ stdout: '', stderr: '', code: 130 });
  });

  it('closes what was opened, last first, also after a failure', async () => {
    const closed: number[] = [];
    class Opening extends BaseCommand {
      override async run() {
        this.atEnd(() => closed.push(1));
        this.atEnd(() => closed.push(2));
        throw new GuardError('No.', { code: 'no' });
      }
    }
    expect((await runInProcess(Opening, [])).code).toBe(9);
    expect(closed).toEqual([2, 1]);
  });

  it('closes the rest when one cannot be closed, and reports the first failure', async () => {
    const closed: number[] = [];
    class Opening extends BaseCommand {
      override async run() {
        this.atEnd(() => closed.push(1));
        this.atEnd(() => {
          throw new GuardError('Second.', { code: 'second' });
        });
        this.atEnd(() => {
          throw new GuardError('First.', { code: 'first' });
        });
      }
    }
    expect(await runInProcess(Opening, [])).toMatchObject({ code: 9, stderr: 'Error: First.\n' });
    expect(closed).toEqual([1]);
  });

  it('prints one JSON document, also when closing fails after it', async () => {
    class Closing extends BaseCommand {
      override async run() {
        this.atEnd(() => {
          throw new GuardError('No.', { code: 'no' });
        });
        return { id: 10 };
      }
    }
    const { stdout, stderr, code } = await runInProcess(Closing, ['--json']);
    expect([JSON.parse(stdout), stderr, code]).toEqual([{ id: 10 }, expect.stringContaining('No.'), 9]);
  });

  it('a bug while closing ends with 6 once something was sent, and with 1 before', async () => {
    class Closing extends BaseCommand {
      static override flags = { confirm: string(), send: boolean() };
      override async run() {
        const { flags } = await this.parse(Closing);
        if (flags.send) this.sent.assumeSome();
        this.atEnd(() => {
          throw new TypeError('x is undefined');
        });
      }
    }
    expect((await runInProcess(Closing, [])).code).toBe(1);
    expect(await runInProcess(Closing, ['--send'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('What was sent may have been carried out.') as string,
    });
  });
});
