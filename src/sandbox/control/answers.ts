// What the control API answers with.

import * as z from 'zod/mini';
import { described } from '../../contract/described.js';
import { answeredNumber, payment } from '../../contract/payment.js';
import type { ProviderInstruction } from '../domain/provider-instructions.js';

const time = described(z.string(), { format: 'date-time' });
const milliseconds = z.int();

export const clock = described(z.object({ now: time, stopped: z.boolean() }), { id: 'Clock' });
export type ClockTime = z.infer<typeof clock>;

export const status = described(
  z.object({
    url: z.string(),
    pid: z.int(),
    generation: described(z.string(), { description: 'A reset or an import begins a new one.' }),
    database: z.string(),
    clock,
    payments: z.int(),
    customers: z.int(),
    webhooksWaiting: z.int(),
    faults: z.int(),
    webhookHosts: described(z.array(z.string()), {
      description: 'Hosts besides loopback that webhooks are sent to.',
    }),
    answers: described(z.record(z.string(), z.string()), {
      description: 'The gaps of the spec that are filled in another way than by default.',
    }),
  }),
  { id: 'Status' },
);
export type SandboxStatus = z.infer<typeof status>;

const told = z.object({ told: z.int(), done: z.int() });

export const books = described(
  z.object({
    paymentId: z.int(),
    authorize: told,
    capture: told,
    refund: told,
    void: told,
  } satisfies Record<ProviderInstruction | 'paymentId', z.ZodMiniType>),
  {
    id: 'Books',
    description: 'How many times the provider was told each instruction, and how many times it did it.',
  },
);

export const delivery = described(
  z.object({
    webhookId: z.int(),
    url: z.string(),
    status: described(z.nullable(z.int()), {
      description: 'Null when nobody answered; `error` then says why.',
    }),
    error: z.nullable(z.string()),
    ms: z.number(),
    answer: z.nullable(z.string()),
  }),
  { id: 'Delivery', description: 'What was sent where, and what came back.' },
);
export type WebhookDelivery = z.infer<typeof delivery>;

const attempt = z.object({
  id: z.int(),
  event_id: z.int(),
  time: milliseconds,
  url: z.string(),
  content_type: z.nullable(z.string()),
  body: z.nullable(z.string()),
  status: z.nullable(z.int()),
  error: z.nullable(z.string()),
  ms: z.number(),
  answer: z.nullable(z.string()),
});

const change = described(
  z.object({
    id: z.int(),
    payment_id: z.int(),
    version: z.int(),
    from_state: z.nullable(z.string()),
    to_state: z.string(),
    time: milliseconds,
    cause: z.string(),
    via: z.nullable(z.string()),
    url: z.nullable(z.string()),
    due_time: milliseconds,
    attempts: z.int(),
    lease_until: z.nullable(milliseconds),
    lease_owner: z.nullable(z.string()),
    finished: z.int(),
    outcome: z.nullable(z.string()),
    deliveries: z.array(attempt),
  }),
  { id: 'Change', description: 'A change of state with its webhook; without a `url` there is none to send.' },
);
export type PaymentChange = z.infer<typeof change>;

const operation = z.object({
  id: z.int(),
  payment_id: z.int(),
  kind: z.string(),
  time: milliseconds,
  from_state: z.string(),
  version: z.int(),
  description: z.nullable(z.string()),
  via: z.nullable(z.string()),
  status: z.string(),
  error: z.nullable(z.string()),
  finished_time: z.nullable(milliseconds),
});

const exchange = z.object({
  id: z.int(),
  payment_id: z.int(),
  kind: z.string(),
  time: milliseconds,
  version: z.int(),
  done: z.int(),
  answer: z.string(),
  answered_time: z.nullable(milliseconds),
});

export const story = described(
  z.object({
    payment,
    events: z.array(change),
    operations: z.array(operation),
    exchanges: z.array(exchange),
  }),
  { id: 'Story', description: 'Everything that happened to a payment, the oldest first.' },
);

export const fault = described(
  z.object({
    id: z.int(),
    kind: z.string(),
    route: z.string(),
    remaining: z.nullable(z.int()),
    probability: z.nullable(z.number()),
    seen: described(z.int(), { description: 'How many calls it has met, hit or not.' }),
    status: z.optional(z.int()),
    delayMs: z.optional(milliseconds),
    retryAfterS: z.optional(z.int()),
    afterCommit: z.optional(z.boolean()),
  }),
  { id: 'Fault' },
);
export type Fault = z.infer<typeof fault>;

export const cleared = z.object({ cleared: z.int() });

export const app = described(
  z.object({
    appId: z.string(),
    apiKey: z.string(),
    friendlyName: z.string(),
    isSandbox: z.boolean(),
    isBlocked: z.boolean(),
    webhookUrl: z.nullable(z.string()),
    fraudPolicyId: z.nullable(z.int()),
    profiles: z.array(
      z.object({
        paymentProfileId: z.int(),
        name: z.string(),
        methodType: z.string(),
        isActive: z.boolean(),
        windowMs: milliseconds,
        delayMs: milliseconds,
      }),
    ),
    fraudPolicies: z.array(
      z.object({
        fraudPolicyId: z.int(),
        name: z.string(),
        rule: z.string(),
        threshold: z.nullable(z.string()),
      }),
    ),
  }),
  { id: 'App' },
);
export type SandboxApp = z.infer<typeof app>;

export const seededPayment = described(
  z.object({
    appId: z.string(),
    paymentId: described(answeredNumber, { type: 'integer' }),
    referenceId: z.string(),
    state: z.string(),
    amount: answeredNumber,
    currency: z.string(),
    customerId: z.string(),
    createdTime: time,
    about: described(z.string(), { description: 'What is interesting about it.' }),
    added: described(z.boolean(), { description: 'Whether it was not there before.' }),
  }),
  { id: 'SeededPayment' },
);
export type SeededPayment = z.infer<typeof seededPayment>;
