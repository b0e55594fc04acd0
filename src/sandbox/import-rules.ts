// What the API and the control API would not take does not come in by an import either. Types and keys are for the
// database to judge.

import * as z from 'zod/mini';
import { isKnownCurrency } from '../contract/currencies.js';
import { email, identifier, phone, text, webAddress } from '../contract/fields.js';
import { parseJson } from '../contract/json.js';
import { isLarger } from '../contract/exact.js';
import { amountProblem, isAmount } from '../contract/money.js';
import { checkoutMethods } from '../contract/checkout-methods.js';
import {
  autoPaymentBody,
  hostedPaymentBody,
  plainPaymentBody,
  providerHostedPaymentBody,
} from '../contract/payment-request.js';
import { fieldErrors } from '../contract/problem.js';
import { operations, stateNames } from '../contract/states.js';
import { faultBody } from './control/requests.js';
import { cardNames } from './domain/cards.js';
import { faultKindNames, faultRoutes } from './domain/fault-kinds.js';
import { fraudRules } from './domain/fraud.js';
import { hasCardNumber } from './domain/payer.js';
import { providerInstructions } from './domain/provider-instructions.js';
import { firstIds } from './migrations.js';
import { jobKinds, type changingColumns, type tableNames } from './schema.js';

const bit = z.union([z.literal(0), z.literal(1)], 'must be 0 or 1');
const name = text.check(z.minLength(1, 'must not be empty'));
/** The API brings it into this form; a stored one must have it, or nobody would find it. */
const normal = z
  .string('must be a string')
  .check(z.refine((value) => value === value.normalize('NFC'), 'must be Unicode text in NFC'));
const ownId = z.pipe(normal, identifier);
const state = z.enum(stateNames, 'is not a state');
const card = z.enum(cardNames, 'is not a test card');
const currency = z.string().check(z.refine(isKnownCurrency, 'is not a supported currency'));
const amount = z.string().check(z.refine((value) => amountProblem(value) === undefined, 'must be an amount'));
const notNegative = z.int().check(z.minimum(0, 'must not be negative'));

const bodies = {
  HostedPage: hostedPaymentBody,
  Direct: plainPaymentBody,
  ProviderHostedPage: providerHostedPaymentBody,
  AutoPayment: autoPaymentBody,
} as const;

const payInfo = z.nullable(z.string().check(z.refine(isJson, 'must be JSON')));
const capturedAmount = z.union([z.literal('0'), amount]);

const shownBefore = z.partial(
  z.strictObject({
    state,
    captured_amount: capturedAmount,
    auto_payment: z.string(),
    fraud_status: z.string(),
    payer_ip: z.nullable(z.string()),
    pay_info: payInfo,
    failure: z.nullable(z.string()),
  } satisfies Record<(typeof changingColumns)[number], z.ZodMiniType>),
);

const payment = z
  .looseObject({
    reference_id: ownId,
    state,
    amount,
    captured_amount: capturedAmount,
    currency,
    flow: z.enum(Object.keys(bodies) as Array<keyof typeof bodies>, 'is not a flow'),
    customer_id: ownId,
    return_url: z.nullable(webAddress),
    webhook_url: z.nullable(webAddress),
    auto_capture: bit,
    card: z.nullable(card),
    request: z.string(),
    payer: z.nullable(z.string()),
    pay_info: payInfo,
    version: z.int().check(z.minimum(1, 'must be at least 1')),
    // A document of an older sandbox does not have it.
    before_change: z.optional(z.nullable(z.string())),
  })
  .check((context) => {
    const { value, issues } = context;
    const problem = requestProblem(value.flow, value.request);
    const complain = (path: string, message: string) =>
      issues.push({ code: 'custom', path: [path], message, input: value });
    if (problem !== undefined) complain('request', problem);
    const areAmounts = isAmount(value.captured_amount) && isAmount(value.amount);
    if (areAmounts && isLarger(value.captured_amount, value.amount))
      complain('captured_amount', 'must not be more than the amount');
    if (value.payer !== null && !isPayer(value.payer)) complain('payer', 'must name the payer alone');
    if (!isShownBefore(value.before_change ?? '{}')) complain('before_change', 'must be what a read showed');
  });

const fault = z
  .looseObject({
    kind: z.enum(faultKindNames, 'is not a kind of fault'),
    route: z.string(),
    remaining: z.nullable(notNegative),
    probability: z.nullable(z.number().check(z.gt(0), z.maximum(1))),
    options: z.string().check(z.refine(isJson, 'must be JSON')),
  })
  .check((context) => {
    const { kind, route, options } = context.value;
    const given = faultBody.safeParse({ kind, route, ...(JSON.parse(options) as object) });
    const problem = faultRoutes(kind).includes(route)
      ? fieldErrors(given.error ?? new z.core.$ZodError([]))[0]
      : { path: 'route', message: 'is not a route of this kind' };
    if (problem)
      context.issues.push({
        code: 'custom',
        path: [problem.path],
        message: problem.message,
        input: context.value,
      });
  });

type Rules = Partial<Record<(typeof tableNames)[number], z.ZodMiniType>>;

const rules: Rules = {
  apps: z.looseObject({
    friendly_name: name,
    webhook_url: z.nullable(webAddress),
    is_sandbox: bit,
    is_blocked: bit,
  }),
  provider_profiles: z.looseObject({
    name,
    method_type: z.enum(checkoutMethods, 'is not a method'),
    is_active: bit,
    window_ms: z.int().check(z.minimum(1, 'must be at least 1')),
    delay_ms: notNegative,
  }),
  fraud_policies: z.looseObject({
    name,
    rule: z.enum(fraudRules, 'is not a rule'),
    threshold: z.nullable(amount),
  }),
  customers: z.looseObject({
    customer_id: ownId,
    first_name: z.nullable(text),
    last_name: z.nullable(text),
    email: z.nullable(email),
    mobile_number: z.nullable(phone),
  }),
  methods: z.looseObject({ customer_id: ownId, card, currency, is_stopped: bit, is_removed: bit }),
  payments: payment,
  events: z.looseObject({
    from_state: z.nullable(state),
    to_state: state,
    url: z.nullable(webAddress),
    outcome: z.nullable(z.enum(['delivered', 'failed', 'dropped', 'no-target'])),
  }),
  attempts: z.looseObject({ url: webAddress }),
  operations: z.looseObject({ kind: z.enum(operations), from_state: state }),
  exchanges: z.looseObject({ kind: z.enum(providerInstructions), done: bit }),
  jobs: z.looseObject({ kind: z.enum(jobKinds) }),
  faults: fault,
};

type Row = Readonly<Record<string, unknown>>;
type Tables = Readonly<Record<(typeof tableNames)[number], readonly Row[]>>;

/** Leaves room for as many more as a sandbox will ever make. */
const MAX_ID = 2 ** 52;

/** What is wrong between the tables of a document: ids that cannot be continued, and rows of what is not there. */
export function idProblem(tables: Tables): string | undefined {
  for (const [table, [column]] of Object.entries(firstIds)) {
    const bad = tables[table as keyof typeof firstIds].findIndex(({ [column]: id }) => !isId(id));
    if (bad >= 0) return `tables.${table}.${bad}.${column} must be a whole number between 1 and ${MAX_ID}`;
  }
  if (tables.apps.length === 0) return 'tables.apps is empty';
  return missingParent(tables, 'apps', 'app_id') ?? missingParent(tables, 'payments', 'payment_id');
}

const isId = (id: unknown): boolean => Number.isInteger(id) && Number(id) >= 1 && Number(id) <= MAX_ID;

function missingParent(tables: Tables, parent: 'apps' | 'payments', column: string): string | undefined {
  const known = new Set(tables[parent].map((row) => row[column]));
  for (const [table, rows] of Object.entries(tables)) {
    const bad = rows.findIndex(({ [column]: id }) => id !== undefined && id !== null && !known.has(id));
    if (bad >= 0) return `tables.${table}.${bad}.${column} is not in tables.${parent}`;
  }
  return undefined;
}

/** What is wrong with a table of a document, with the number of the row and its column. */
export function rowProblem(table: (typeof tableNames)[number], rows: readonly unknown[]): string | undefined {
  const rule = rules[table];
  if (!rule) return undefined;
  for (const [index, row] of rows.entries()) {
    const { error } = rule.safeParse(row);
    const [first] = error ? fieldErrors(error) : [];
    if (first) return `tables.${table}.${index}.${first.path} ${first.message}`;
  }
  return undefined;
}

/** The body that created a payment is read again later: by the checkout page, and by a request that comes again. */
function requestProblem(flow: keyof typeof bodies, request: string): string | undefined {
  if (!isJson(request)) return 'must be JSON';
  const { error } = bodies[flow].safeParse(parseJson(request));
  const [first] = error ? fieldErrors(error) : [];
  return first && `is not one that the service takes: ${first.path} ${first.message}`;
}

const payer = z.strictObject({
  name: z.string().check(z.refine((value) => !hasCardNumber(value))),
  expiry: z.optional(z.strictObject({ month: z.int(), year: z.int() })),
});

const isPayer = (value: string): boolean => isJson(value) && payer.safeParse(JSON.parse(value)).success;

const isShownBefore = (value: string): boolean =>
  isJson(value) && shownBefore.safeParse(JSON.parse(value)).success;

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
