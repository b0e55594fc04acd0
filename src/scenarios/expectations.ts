// What a step expects, compared with what it finds. Every mismatch is reported, not only the first.

import { isJsonNumber, numberText, valueAtPath, type JsonObject, type JsonValue } from '../contract/json.js';
import { sameAmount } from '../contract/exact.js';
import { exitCodeOf, PaydeskError } from '../errors.js';
import { referenceText } from './references.js';
import type { Expectation } from './schema.js';
import { explainPayment } from './steps/explain.js';
import type { StepResult } from './steps/result.js';
import type { World } from './world.js';

export interface Mismatch {
  /** What was compared: `state`, `books.refund.told`. */
  what: string;
  expected: JsonValue;
  actual: JsonValue;
}

interface Compared {
  world: World;
  expected: Expectation;
  /** Absent where no step was made. */
  result: StepResult | undefined;
  add(what: string, expected: JsonValue | undefined, actual: JsonValue | undefined): void;
}

/** A step must end well unless it says how else it ends. */
export function unexpectedEnd(result: StepResult, expects: readonly Expectation[]): Mismatch[] {
  const { error } = result;
  const isStated = expects.some(
    ({ exit, error: code, outcome }) => exit !== undefined || code !== undefined || outcome !== undefined,
  );
  if (error === undefined || isStated) return [];
  return [{ what: 'exit', expected: 0, actual: exitCodeOf(error) }];
}

export async function findMismatches(
  world: World,
  result: StepResult | undefined,
  expected: Expectation,
): Promise<Mismatch[]> {
  const differences: Mismatch[] = [];
  const compared: Compared = {
    world,
    expected,
    result,
    add(what, wanted, actual = null) {
      if (wanted !== undefined && !isSame(wanted, actual))
        differences.push({ what, expected: wanted, actual });
    },
  };
  compareEnd(compared);
  const { payment, customer } = expected;
  const payments = payment === undefined ? (result?.payments ?? []) : [String(payment)];
  for (const name of payments) await comparePayment(compared, name);
  if (expected.methods !== undefined) {
    await compareMethods(compared, customer === undefined ? undefined : String(customer), payments[0]);
  } else if (payment === undefined && customer !== undefined && expected.fields) {
    const { object } = await world.desk.client.getCustomer(String(customer));
    compareFields(compared, expected.fields, object);
  }
  return differences;
}

function compareEnd({ expected, result, add }: Compared): void {
  const { outcome, exit, error, created, rows } = expected;
  add('outcome', outcome, result?.outcome ?? 'none');
  add('exit', exit, result?.error === undefined ? 0 : exitCodeOf(result.error));
  add('error', error, result?.error?.code);
  add('created', created, result?.created);
  for (const [group, count] of Object.entries(rows ?? {})) add(`rows.${group}`, count, result?.rows?.[group]);
}

const ofPayment = ['state', 'amount', 'captured', 'currency', 'fields'] as const;
const ofExplanation = ['verdict', 'action', 'stuck'] as const;

async function comparePayment(compared: Compared, name: string): Promise<void> {
  const { expected } = compared;
  if (ofPayment.some((key) => expected[key] !== undefined)) {
    const payment = await lookAt(compared, name);
    if (payment) compareShown(compared, payment);
  }
  if (ofExplanation.some((key) => expected[key] !== undefined)) await compareExplanation(compared, name);
  await compareBehind(compared, name);
}

async function lookAt({ world, add }: Compared, name: string): Promise<JsonObject | undefined> {
  try {
    return await world.look(name);
  } catch (error) {
    if (!(error instanceof PaydeskError)) throw error;
    add('payment', name, error.message);
    return undefined;
  }
}

function compareShown({ world, expected, result, add }: Compared, payment: JsonObject): void {
  const { state, amount, captured, currency, fields } = expected;
  const shown = payment['paymentState'];
  if (state !== undefined) {
    add('state', state, world.desk.client.canonicalState(referenceText(shown)) ?? shown);
  }
  if (amount !== undefined) add('amount', moneyOf(amount), moneyOf(payment['amount']));
  if (captured !== undefined) add('captured', moneyOf(captured), moneyOf(payment['capturedAmount']));
  add('currency', currency, payment['currency']);
  if (fields && (expected.customer === undefined || result)) compareFields({ add }, fields, payment);
}

function compareFields(
  { add }: Pick<Compared, 'add'>,
  fields: NonNullable<Expectation['fields']>,
  object: JsonObject,
): void {
  for (const [path, wanted] of Object.entries(fields)) add(path, wanted, valueAtPath(object, path));
}

async function compareExplanation({ world, expected, result, add }: Compared, name: string): Promise<void> {
  const { verdict, action, stuck } = expected;
  const explanation = result?.explanation ?? (await explainPayment(world, name));
  if (verdict !== undefined && !explanation.verdict.toLowerCase().includes(verdict.toLowerCase())) {
    add('verdict', verdict, explanation.verdict);
  }
  const recommended = explanation.actions.find((each) => each.recommended)?.operation ?? 'none';
  add('action', action, recommended);
  add('stuck', stuck, explanation.stuck);
}

/** What the provider and the receiver of webhooks saw. */
async function compareBehind({ world, expected, add }: Compared, name: string): Promise<void> {
  const { books, webhooks, answers, 'all-webhooks': all } = expected;
  if (books) {
    const actual = await world.own?.books(name);
    for (const [instruction, wanted] of Object.entries(books)) {
      for (const [what, count] of Object.entries(wanted ?? {})) {
        add(`books.${instruction}.${what}`, count, actual?.[instruction]?.[what as 'told' | 'done']);
      }
    }
  }
  if (webhooks === undefined && all === undefined && answers === undefined) return;
  const sent = (await world.own?.webhooks(name)) ?? [];
  const states = sent.map(({ state }) => state);
  const named: readonly string[] = webhooks ?? [];
  add(
    'webhooks',
    webhooks,
    states.filter((state) => named.includes(state)),
  );
  add('all-webhooks', all, states);
  add(
    'answers',
    answers,
    sent.map(({ status }) => status),
  );
}

async function compareMethods(
  compared: Compared,
  named: string | undefined,
  payment: string | undefined,
): Promise<void> {
  const { world, expected, result, add } = compared;
  const customer =
    named ?? result?.customer ?? (payment && referenceText((await world.look(payment))['customerId']));
  const { methods } = await world.desk.client.paymentMethods(customer ?? '');
  const wanted = expected.methods;
  if (typeof wanted === 'number') return add('methods', wanted, methods.length);
  if (wanted === undefined) return;
  if (wanted.length !== methods.length) return add('methods', wanted.length, methods.length);
  for (const [index, fields] of wanted.entries()) {
    const object = methods[index]?.object ?? {};
    for (const [path, value] of Object.entries(fields)) {
      add(`methods.${index}.${path}`, value, valueAtPath(object, path));
    }
  }
}

const moneyOf = (value: JsonValue | undefined): string =>
  isJsonNumber(value) ? Number(numberText(value)).toFixed(2) : referenceText(value);

function isSame(one: JsonValue, other: JsonValue): boolean {
  if (isJsonNumber(one) && isJsonNumber(other)) return sameAmount(one, other);
  return JSON.stringify(one) === JSON.stringify(other);
}
