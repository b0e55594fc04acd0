import fc from 'fast-check';
import { cardNames, methodTypes, moves, policies, profiles, SLOW, type Move } from './model.js';

// The things that can be done to a sandbox, generated at random and shrunk when a run fails.

export type Spoil =
  | 'zero'
  | 'negative'
  | 'three-decimals'
  | 'text-amount'
  | 'no-customer'
  | 'currency'
  | 'unknown-field'
  | 'no-capture-flag'
  | 'policy';

export interface CreateStep {
  do: 'create';
  flow: 'hosted' | 'plain' | 'provider';
  customer: number;
  amount: number;
  autoCapture: boolean;
  registers: boolean;
  offersSaving: boolean;
  ownWebhook: boolean;
  profile: number;
  policy?: number | undefined;
  profiles?: number[] | undefined;
  methods?: string[] | undefined;
  expiresIn?: number | undefined;
  spoil?: Spoil | undefined;
}

export interface FaultStep {
  do: 'fault';
  kind: string;
  route: string;
  next?: number;
  probability?: number;
  delayMs?: number;
  status?: number;
  afterCommit?: boolean;
  retryAfterS?: number;
}

export type Member =
  | { do: 'move'; move: Move }
  | { do: 'pay' }
  | { do: 'challenge' }
  | { do: 'provider'; answer: 'confirm' | 'decline' }
  | { do: 'advance'; ms: number };

export type Step =
  | CreateStep
  | { do: 'again'; pick: number; differs: boolean }
  | { do: 'flood'; count: number; amount: number }
  | {
      do: 'charge';
      customer: number;
      amount: number;
      autoCapture: boolean;
      method?: number | undefined;
      profile?: number | undefined;
      policy?: number | undefined;
    }
  | {
      do: 'pay';
      pick: number;
      card: string;
      profile?: number | undefined;
      method?: string | undefined;
      saves: boolean;
    }
  | { do: 'challenge'; pick: number; passed: boolean }
  | { do: 'move'; pick: number; move: Move }
  /** Whatever is sensible for the payment as it is. */
  | { do: 'next-step'; pick: number; choice: number }
  | { do: 'provider'; pick: number; answer: 'confirm' | 'decline' | 'hold' }
  | { do: 'end-method'; customer: number; pick: number; how: 'remove' | 'stop' }
  | { do: 'customer'; customer: number; policy?: number | undefined }
  | { do: 'app-policy'; policy?: number | undefined }
  | { do: 'advance'; ms: number }
  | FaultStep
  | { do: 'clear' }
  | { do: 'restart' }
  | { do: 'burst'; pick: number; card: string; members: Member[] };

export const CUSTOMERS = 3;

const SECOND = 1000;
const DAY = 86_400 * SECOND;

const pick = fc.nat(999);
const customer = fc.nat(CUSTOMERS - 1);
const card = fc.constantFrom(...cardNames, 'approved', 'approved', 'approved');
const policy = fc.nat(policies.length - 1);
const profile = fc.constantFrom(...profiles.keys(), SLOW, SLOW);
const amount = fc.oneof(
  fc.integer({ min: 1, max: 30_000 }).map((cents) => cents / 100),
  fc.constantFrom(0.01, 10.1, 100, 100.01, 999_999_999.99),
);
/** There one time in `many`. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, many: number) =>
  fc.oneof({ arbitrary: fc.constant(undefined), weight: many - 1 }, { arbitrary, weight: 1 });

const create: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('create' as const),
  flow: fc.constantFrom('hosted' as const, 'hosted' as const, 'plain' as const, 'provider' as const),
  customer,
  amount,
  autoCapture: fc.boolean(),
  registers: fc.boolean(),
  offersSaving: fc.boolean(),
  ownWebhook: fc.boolean(),
  profile: fc.constantFrom(0, 1, 3, 4),
  policy: rarely(policy, 4),
  profiles: rarely(fc.uniqueArray(fc.nat(4), { minLength: 1, maxLength: 3 }), 4),
  methods: rarely(fc.uniqueArray(fc.constantFrom(...methodTypes), { minLength: 1, maxLength: 2 }), 6),
  expiresIn: rarely(fc.constantFrom(10 * SECOND, 45 * SECOND, 600 * SECOND, 2 * DAY), 3),
  spoil: rarely(
    fc.constantFrom<Spoil>(
      'zero',
      'negative',
      'three-decimals',
      'text-amount',
      'no-customer',
      'currency',
      'unknown-field',
      'no-capture-flag',
      'policy',
    ),
    8,
  ),
});

const advance = fc
  .oneof(
    { arbitrary: fc.integer({ min: 1, max: 90 }).map((seconds) => seconds * SECOND), weight: 6 },
    { arbitrary: fc.integer({ min: 2, max: 240 }).map((minutes) => minutes * 60 * SECOND), weight: 2 },
    { arbitrary: fc.integer({ min: 1, max: 21 }).map((days) => days * DAY), weight: 2 },
    { arbitrary: fc.constant(900 * DAY), weight: 1 },
  )
  .map((ms) => ({ do: 'advance' as const, ms }));

const routes = ['*', 'capture', 'cancel', 'refund', 'unhold', 'recheck', 'create', 'charge', 'get'];

const extent = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((next) => ({ next })),
  fc.constantFrom(0.2, 0.5).map((probability) => ({ probability })),
);

/** The two errors have statuses of their own, so that the answer says which of them it was. */
export const ERROR_BEFORE = 502;
export const ERROR_AFTER = 504;

const fault: fc.Arbitrary<FaultStep> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        { kind: 'latency', delayMs: 3 },
        { kind: 'latency', delayMs: 3, afterCommit: true },
        { kind: 'error-before-commit', status: ERROR_BEFORE },
        { kind: 'error-after-commit', status: ERROR_AFTER },
        { kind: 'drop-before-commit' },
        { kind: 'drop-after-commit' },
        { kind: 'truncate' },
        { kind: 'rate-limit', retryAfterS: 1 },
        { kind: 'rate-limit', retryAfterS: 0 },
        { kind: 'stale-read' },
      ),
      fc.constantFrom(...routes),
      extent,
    )
    .map(([what, route, many]) => ({ do: 'fault' as const, ...what, route, ...many })),
  fc
    .tuple(
      fc.constantFrom('provider-silent', 'provider-fails'),
      fc.constantFrom('*', 'authorize', 'capture', 'refund', 'void'),
      extent,
    )
    .map(([kind, route, many]) => ({ do: 'fault' as const, kind, route, ...many })),
  fc
    .tuple(
      fc.constantFrom(
        { kind: 'webhook-duplicate' },
        { kind: 'webhook-delay', delayMs: 90_000 },
        { kind: 'webhook-reorder' },
        { kind: 'webhook-drop' },
      ),
      fc.constantFrom('*', 'Created', 'Authorised', 'Capturing', 'Captured', 'Refunding'),
      extent,
    )
    .map(([what, route, many]) => ({ do: 'fault' as const, ...what, route, ...many })),
);

const member: fc.Arbitrary<Member> = fc.oneof(
  { arbitrary: fc.constantFrom(...moves).map((move) => ({ do: 'move' as const, move })), weight: 8 },
  { arbitrary: fc.constant({ do: 'pay' as const }), weight: 2 },
  { arbitrary: fc.constant({ do: 'challenge' as const }), weight: 1 },
  {
    arbitrary: fc
      .constantFrom('confirm' as const, 'decline' as const)
      .map((answer) => ({ do: 'provider' as const, answer })),
    weight: 1,
  },
  { arbitrary: advance, weight: 1 },
);

export const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: create, weight: 14 },
  {
    arbitrary: fc.record({ do: fc.constant('again' as const), pick, differs: fc.boolean() }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('flood' as const),
      count: fc.integer({ min: 2, max: 12 }),
      amount,
    }),
    weight: 1,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('charge' as const),
      customer,
      amount,
      autoCapture: fc.boolean(),
      method: rarely(fc.nat(9), 2),
      profile: rarely(profile, 4),
      policy: rarely(policy, 6),
    }),
    weight: 8,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      pick,
      card,
      profile: rarely(profile, 4),
      method: rarely(fc.constantFrom(...methodTypes), 4),
      saves: fc.boolean(),
    }),
    weight: 12,
  },
  {
    arbitrary: fc.record({ do: fc.constant('challenge' as const), pick, passed: fc.boolean() }),
    weight: 1,
  },
  {
    arbitrary: fc.record({ do: fc.constant('move' as const), pick, move: fc.constantFrom(...moves) }),
    weight: 12,
  },
  { arbitrary: fc.record({ do: fc.constant('next-step' as const), pick, choice: fc.nat(99) }), weight: 28 },
  {
    arbitrary: fc.record({
      do: fc.constant('provider' as const),
      pick,
      answer: fc.constantFrom('confirm' as const, 'decline' as const, 'hold' as const),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      do: fc.constant('end-method' as const),
      customer,
      pick: fc.nat(9),
      how: fc.constantFrom('remove' as const, 'stop' as const),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant('customer' as const), customer, policy: rarely(policy, 2) }),
    weight: 2,
  },
  { arbitrary: fc.record({ do: fc.constant('app-policy' as const), policy: rarely(policy, 2) }), weight: 1 },
  { arbitrary: advance, weight: 8 },
  { arbitrary: fault, weight: 5 },
  { arbitrary: fc.constant({ do: 'clear' as const }), weight: 3 },
  { arbitrary: fc.constant({ do: 'restart' as const }), weight: 2 },
  {
    arbitrary: fc.record({
      do: fc.constant('burst' as const),
      pick,
      card,
      members: fc.array(member, { minLength: 2, maxLength: 6 }),
    }),
    weight: 5,
  },
);
