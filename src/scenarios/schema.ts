// What a scenario file may say. The reader, the types and docs/scenario.schema.json are all made from this.

import * as z from 'zod/mini';
import { described } from '../contract/described.js';
import { amountProblem } from '../contract/money.js';
import { checkoutFlows } from '../contract/checkout-flows.js';
import { checkoutMethods } from '../contract/checkout-methods.js';
import { stateNames } from '../contract/states.js';
import { cardNames, faultKindNames, providerInstructions } from '../sandbox/index.js';
import { BadValue, parseCurrency, parseDuration, parseEmail, parseUrl } from '../typed-values.js';
import { referencesIn } from './references.js';
import { required, strictMapping } from '../yaml/schema.js';

const listOf = <T extends z.ZodMiniType>(item: T) => z.array(item, { error: required('a list') });
const oneOf = <const T extends readonly string[]>(names: T) =>
  z.enum(names, { error: required(`one of ${names.join(', ')}`) });

const isReference = (value: unknown): boolean => typeof value === 'string' && /^\$\{[^}]+\}$/.test(value);

/** A number or text in a file may also be the value that an earlier step left behind. */
const orReference = <T extends z.ZodMiniType>(schema: T, kind: string) =>
  z.union([schema, z.string().check(z.regex(/^\$\{[^}]+\}$/))], { error: required(kind) });

const text = z.string({ error: required('text') }).check(z.minLength(1, 'must not be empty'));
/** An identifier that is all digits may be written without quotes. */
const name = z.union([text, z.int()], { error: required('text') });
const flag = z.boolean({ error: required('true or false') });
const count = z.int({ error: required('a whole number') }).check(z.minimum(0, 'must not be negative'));
const numericId = orReference(z.int(), 'a whole number');
const duration = z
  .string({ error: required('a duration such as 500ms, 30s, 5m, 24h or 7d') })
  .check(z.refine(isDuration, 'must be a duration such as 500ms, 30s, 5m, 24h or 7d'));
const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()], {
  error: required('an instant such as 2026-01-01T00:00:00Z, or a day'),
});
const later = z.union([duration, instant], { error: required('a duration such as 24h, or an instant') });
const amount = z
  .union([z.number(), z.string()], { error: required('an amount, for example 49.90') })
  .check(
    z.refine(
      (value) => isReference(value) || amountProblem(String(value)) === undefined,
      'must be an amount, for example 49.90',
    ),
  );
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: required('a single value'),
});

function isDuration(value: string): boolean {
  return problemWith(parseDuration, value) === undefined;
}

/** What the parser of a flag says of a value. */
function problemWith(parse: (text: string) => unknown, value: string): string | undefined {
  try {
    parse(value);
    return undefined;
  } catch (error) {
    if (error instanceof BadValue) return error.message;
    throw error;
  }
}

/** Text that the flag of the same name takes. What an earlier step leaves behind is not known yet. */
const textFor = (parse: (text: string) => unknown) =>
  text.check(
    z.refine((value) => referencesIn(value).length > 0 || problemWith(parse, value) === undefined, {
      error: ({ input }) => `cannot be ${String(input)}: ${problemWith(parse, String(input))}`,
    }),
  );
const currency = textFor(parseCurrency);
const email = textFor(parseEmail);
const url = textFor(parseUrl);

const order = {
  'order-id': z.optional(name),
  description: z.optional(text),
  'first-name': z.optional(text),
  'last-name': z.optional(text),
  email: z.optional(email),
  phone: z.optional(text),
  'webhook-url': z.optional(url),
  'fraud-policy': z.optional(numericId),
  'auto-capture': z.optional(flag),
};
const why = { reason: z.optional(text), ticket: z.optional(name) };
const payments = z.union([name, listOf(name)], { error: required('a payment or a list of payments') });
const move = {
  payment: payments,
  ...why,
  force: z.optional(flag),
  again: z.optional(flag),
  resend: z.optional(flag),
  wait: z.optional(flag),
};
const contact = {
  customer: name,
  'first-name': z.optional(text),
  'last-name': z.optional(text),
  email: z.optional(email),
  mobile: z.optional(text),
};

/** Keys are the flags of the command of the same name. */
const verbs = {
  create: strictMapping({
    amount,
    currency,
    customer: name,
    reference: z.optional(name),
    'return-url': z.optional(url),
    flow: z.optional(oneOf(checkoutFlows)),
    'provider-profile': z.optional(numericId),
    'show-recurring': z.optional(flag),
    'register-auto-payment': z.optional(flag),
    expires: z.optional(later),
    'offer-profile': z.optional(listOf(numericId)),
    method: z.optional(listOf(oneOf(checkoutMethods))),
    ...order,
    ...why,
  }),
  charge: strictMapping({
    amount,
    customer: name,
    reference: z.optional(name),
    'method-id': z.optional(numericId),
    'provider-profile': z.optional(numericId),
    wait: z.optional(flag),
    ...order,
    ...why,
  }),
  pay: strictMapping({
    payment: name,
    card: z.optional(oneOf(cardNames)),
    method: z.optional(oneOf(checkoutMethods)),
    'provider-profile': z.optional(numericId),
    'save-method': z.optional(flag),
    challenge: z.optional(oneOf(['passed', 'failed'])),
  }),
  provider: strictMapping({ payment: name, answer: oneOf(['confirm', 'decline', 'hold']) }),
  capture: strictMapping(move),
  cancel: strictMapping(move),
  refund: strictMapping({ ...move, description: z.optional(text) }),
  unhold: strictMapping(move),
  recheck: strictMapping({ payment: payments }),
  check: strictMapping({ payment: payments, wait: z.optional(flag) }),
  explain: strictMapping({ payment: name }),
  watch: strictMapping({ payment: name, until: oneOf(stateNames) }),
  customers: strictMapping({
    create: z.optional(strictMapping({ ...contact, 'fraud-policy': z.optional(numericId) })),
    update: z.optional(strictMapping(contact)),
    get: z.optional(strictMapping({ customer: name })),
    methods: z.optional(strictMapping({ customer: name })),
    'remove-method': z.optional(strictMapping({ customer: name, method: numericId })),
    'stop-auto-payment': z.optional(strictMapping({ customer: name, registration: numericId })),
    'panel-link': z.optional(strictMapping({ customer: name })),
  }),
  batch: strictMapping({
    action: oneOf(['refund', 'capture', 'cancel', 'unhold', 'recheck']),
    rows: listOf(strictMapping({ payment: name, amount: z.optional(amount), currency: z.optional(text) })),
    again: z.optional(flag),
    wait: z.optional(flag),
  }),
  clock: strictMapping({ advance: z.optional(duration), set: z.optional(instant) }),
  fault: strictMapping({
    add: z.optional(oneOf(faultKindNames)),
    clear: z.optional(oneOf(['all'])),
    route: z.optional(text),
    next: z.optional(count.check(z.minimum(1, 'must be at least 1'))),
    probability: z.optional(z.number({ error: required('a number between 0 and 1') })),
    status: z.optional(z.int({ error: required('a status such as 503') })),
    delay: z.optional(duration),
    'after-commit': z.optional(flag),
    'retry-after': z.optional(count),
  }),
  app: strictMapping({
    blocked: z.optional(flag),
    'fraud-policy': z.optional(numericId),
    'provider-profile': z.optional(numericId),
    active: z.optional(flag),
    delay: z.optional(duration),
  }),
  webhook: strictMapping({ handler: text }),
  seed: strictMapping({}),
} as const;

export type Verb = keyof typeof verbs;
export const verbNames = Object.keys(verbs) as Verb[];
export type Inputs = { [V in Verb]: z.infer<(typeof verbs)[V]> };

const told = strictMapping({ told: z.optional(count), done: z.optional(count) });
const [authorize, capture, refund, voided] = providerInstructions;

export const expectation = strictMapping({
  payment: z.optional(name),
  customer: z.optional(name),
  state: z.optional(oneOf(stateNames)),
  outcome: z.optional(oneOf(['done', 'accepted', 'failed', 'refused', 'unsent', 'unknown', 'none'])),
  exit: z.optional(count),
  error: z.optional(text),
  amount: z.optional(amount),
  captured: z.optional(z.number({ error: required('an amount, for example 49.90') })),
  currency: z.optional(text),
  created: z.optional(flag),
  fields: z.optional(z.record(z.string(), scalar, { error: required('a mapping') })),
  books: z.optional(
    strictMapping({
      [authorize]: z.optional(told),
      [capture]: z.optional(told),
      [refund]: z.optional(told),
      [voided]: z.optional(told),
    }),
  ),
  webhooks: described(z.optional(listOf(oneOf(stateNames))), {
    description: 'The webhooks that were sent for the states in this list, in order, duplicates included.',
  }),
  'all-webhooks': described(z.optional(listOf(oneOf(stateNames))), {
    description: 'All webhooks that were sent, in order, duplicates included.',
  }),
  answers: z.optional(listOf(z.union([z.int(), z.null()], { error: required('a status such as 200') }))),
  verdict: z.optional(text),
  action: z.optional(oneOf(['capture', 'cancel', 'refund', 'unhold', 'check', 'recheck', 'watch', 'none'])),
  stuck: z.optional(flag),
  methods: z.optional(
    z.union([count, listOf(z.record(z.string(), scalar))], {
      error: required('a number, or a list of fields for each method'),
    }),
  ),
  rows: z.optional(z.record(z.string(), count, { error: required('a mapping') })),
});
export type Expectation = z.infer<typeof expectation>;

const expectations = z.union([expectation, z.array(expectation)], { error: required('a mapping') });

const step = strictMapping({
  as: described(z.optional(text), { description: 'Later steps refer to this step as ${name}.' }),
  ...(Object.fromEntries(verbNames.map((verb) => [verb, z.optional(verbs[verb])])) as {
    [V in Verb]: z.ZodMiniOptional<(typeof verbs)[V]>;
  }),
  expect: described(z.optional(expectations), { description: 'What must be so after the step.' }),
});
export type Step = z.infer<typeof step>;

export const scenario = strictMapping({
  name: described(text, { description: 'What the scenario shows, as a sentence.' }),
  description: z.optional(text),
  seed: described(z.optional(count), { description: 'The same seed makes the same run. Default: 1.' }),
  clock: described(z.optional(instant), {
    description: 'Where the clock stands at the start. Default: 2026-01-01T00:00:00Z.',
  }),
  'quiet-period': described(z.optional(duration), {
    description: 'How long nothing is sent again after a lost answer. Default: 2s.',
  }),
  set: described(z.optional(z.record(z.string(), scalar, { error: required('a mapping') })), {
    description: 'Values that ${name} stands for; --set replaces them.',
  }),
  steps: described(listOf(step).check(z.minLength(1, 'must have at least one step')), {
    description: 'Carried out in order. The first one that does not end as expected ends the scenario.',
  }),
});
export type ScenarioFile = z.infer<typeof scenario>;

/** For editors. */
export function scenarioSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(scenario, { io: 'input', unrepresentable: 'any' });
  return { $schema, title: 'paydesk scenario', ...schema };
}
