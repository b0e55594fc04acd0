import { afterAll, beforeAll, expect, it } from 'vitest';
import { isJsonNumber, type JsonValue, parseJson } from '../../src/contract/json.js';
import { environmentVariables } from '../docs/environment-variables.js';
import { commandClass } from './cases.js';
import { openWholeDesk, wholeCases, type WholeDesk } from './whole-desk.js';

let desk: WholeDesk;
beforeAll(async () => {
  desk = await openWholeDesk();
});
afterAll(() => desk.close());

/** Print what another program reads or prints, and no JSON of their own. */
const noJson = ['completion', 'completion:words', 'sandbox:exec', 'sandbox:exec-guard', 'payments:resolve'];
/** The database of a sandbox, table by table, for `sandbox import` alone. */
const tables = ['sandbox:export'];
/** Run until they are stopped. */
const endless = ['sandbox:start', 'webhook:listen'];

/** Totals go by their currency. */
const isAmount = (key: string): boolean => /(^|[a-z])[aA]mount$|^[A-Z]{3}$/.test(key);
const isPaymentId = (key: string): boolean => /^payment(Id)?$/.test(key);

/** Every id of a payment and every amount in a document that is not a number, by its place. */
function notNumbers(value: JsonValue, place = '$'): string[] {
  if (isJsonNumber(value) || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = `${place}.${key}`;
    const isNested = typeof inner === 'object' && !isJsonNumber(inner) && inner !== null;
    const wanted = isAmount(key) || isPaymentId(key);
    const isOurs = inner === null || isJsonNumber(inner) || isNested;
    return [...(wanted && !isOurs ? [`${at} is ${JSON.stringify(inner)}`] : []), ...notNumbers(inner, at)];
  });
}

const documented = new Set(
  Object.values(environmentVariables).flatMap((list) => list.map(({ name }) => name)),
);
const found = { ids: 0, amounts: 0 };

const commands = Object.entries(wholeCases).filter(
  ([name]) => ![...noJson, ...tables, ...endless].includes(name),
);

it.each(commands)(
  '%s --json is one document with ids and amounts as numbers, and reads only documented variables',
  async (name, given) => {
    for (const [other, ...words] of given.before ?? []) await desk.run(other, await desk.filled(words));
    const read = new Set<string>();
    const { code, stdout, stderr } = await desk.run(name, [...(await desk.filled(given.words)), '--json'], {
      // Whether this is a CI job is also asked of variables that others have named.
      env: { CI: 'false' },
      onEnvRead: (variable) => read.add(variable.toUpperCase()),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
    const { description = '' } = (await commandClass(name)) as { description?: string };
    // The help of a command that streams says so; webhook events does with --follow only.
    const streams = description.includes('JSON lines') && name !== 'webhook:events';
    const documents = streams ? stdout.trimEnd().split('\n') : [stdout];
    for (const text of documents) {
      const document = parseJson(text);
      expect(notNumbers(document)).toEqual([]);
      found.ids += text.match(/"paymentId":\s*\d/g)?.length ?? 0;
      found.amounts += text.match(/"amount":\s*\d/gi)?.length ?? 0;
    }
    expect([...read].filter((variable) => !documented.has(variable))).toEqual([]);
  },
);

it('there were ids and amounts to look at', () => {
  expect(found.ids).toBeGreaterThan(20);
  expect(found.amounts).toBeGreaterThan(20);
});
