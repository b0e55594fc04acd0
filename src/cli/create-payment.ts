// create and charge: a body from flags and files, checked before it leaves, sent with a reference.

import { boolean, option } from '@oclif/core/flags';
import { isJsonObject } from '../contract/json.js';
import { checkoutFlows, type Flow } from '../contract/checkout-flows.js';
import { checkoutMethods } from '../contract/checkout-methods.js';
import type { Missing, UsageProblem } from '../output/report.js';
import { textAt } from '../output/values.js';
import {
  createSummary,
  generatedLine,
  type PlannedJson,
  plannedJson,
  repeatedLine,
  unknownCurrencyLines,
} from '../output/views/created.js';
import { reasonLines, plannedRequestLines } from '../output/views/moves.js';
import type { CreatedPayment, CreateRequest } from '../payments/send-create.js';
import type { RequestKind } from '../payments/differences.js';
import { createPayment } from '../payments/create-payment.js';
import type { PlannedRequest } from '../payments/planned-request.js';
import {
  amountValue,
  draftRequest,
  generateReference,
  type Given,
  type JsonInput,
} from '../payments/payment-draft.js';
import type { CommandContext } from './runtime/context.js';
import { instantFlag, numericIdFlag } from './flags/flags.js';
import { liveLedgerReady, type MoneyDesk } from './desk/desk.js';
import { askToConfirm, askToContinue } from './desk/live-guard.js';
import type { MoneyFlags } from './flags/payment-flags.js';

type Values = Record<string, unknown>;

/** How the customer pays, on create. */
export const checkoutFlags = {
  flow: option({ options: checkoutFlows })({ summary: 'How the customer pays (default: hosted-page).' }),
  'provider-profile': numericIdFlag({ summary: 'Provider profile whose payment page is used.' }),
  'show-recurring': boolean({ summary: 'Offer to save the payment method at checkout.' }),
  'register-auto-payment': boolean({ summary: 'Store the payment method for later charges.' }),
  expires: instantFlag({ summary: 'When the checkout link stops working.' }),
  'offer-profile': numericIdFlag({ multiple: true, summary: 'Offer only these provider profiles.' }),
  method: option({ options: checkoutMethods, multiple: true })({
    summary: 'Offer only these payment methods.',
  }),
};

export const flowOf = (flags: { flow?: unknown }): Flow =>
  checkoutFlows.find((flow) => flow === flags.flow) ?? 'hosted-page';

/** What is wrong with or missing from the request that the flags and files make together. */
export function reviewPayment(
  kind: RequestKind,
  flags: Values,
  { isBad, now }: { isBad: (input: string) => boolean; now: Date },
): { bad: UsageProblem[]; missing: Missing[] } {
  const { bad, missing } = draftRequest(kind, givenBy(flags));
  const expires = flags['expires'];
  if (expires instanceof Date && expires <= now) {
    bad.push({ input: '--expires', value: expires.toISOString(), problem: 'must be in the future' });
  }
  // What is missing may be in the file that could not be read.
  const { body } = givenBy(flags);
  const noBody = isBad('--body') || (body !== undefined && !isJsonObject(body.value));
  const mayBeThere = ({ input }: Missing) => noBody || (isBad('--order') && input === '--customer');
  return { bad, missing: missing.filter((value) => !mayBeThere(value)) };
}

interface Asked {
  flags: MoneyFlags & { description?: string | undefined };
  /** Somebody was asked for values, and sees them together before they are sent. */
  wasAsked: boolean;
}

/** Creates the payment, or finds the one that its reference created before; only plans it in a dry run. */
export async function sendPayment(
  context: CommandContext,
  desk: MoneyDesk,
  { kind, flags, wasAsked }: Asked & { kind: RequestKind; flags: Values },
): Promise<CreatedPayment | { planned: PlannedJson }> {
  const { body } = draftRequest(kind, givenBy(flags));
  const isNew = body['referenceId'] === undefined;
  const referenceId = isNew ? generateReference(context.now(), Math.random) : textAt(body, 'referenceId');
  if (isNew) context.note(generatedLine(referenceId));
  const made = await sendBody(context, desk, {
    kind,
    body: { ...body, referenceId },
    isNew,
    flags,
    wasAsked,
  });
  if ('created' in made) return made;
  context.print('Would be sent:', ...plannedRequestLines(made.request));
  return { planned: plannedJson(made.request) };
}

/** The same for a body that is complete. */
export async function sendBody(
  context: CommandContext,
  { desk, guard }: MoneyDesk,
  { flags, wasAsked, ...request }: Asked & Omit<CreateRequest, 'dryRun'>,
): Promise<CreatedPayment | { request: PlannedRequest }> {
  const { kind, body } = request;
  const ledgerReady = liveLedgerReady(desk, guard);
  context.note(...unknownCurrencyLines(textAt(body, 'currency')));
  const lines = [...createSummary(kind, body), ...reasonLines(flags)];
  const made = await createPayment(
    desk,
    { ...request, dryRun: flags['dry-run'] },
    {
      why: { reason: flags.reason, ticket: flags.ticket, description: flags.description },
      confirm: async () => {
        const confirms = guard.profile.kind === 'live' && guard.confirm === undefined;
        if (wasAsked && !confirms) await askToContinue(guard, { lines });
        await askToConfirm(guard, { lines });
        await ledgerReady;
      },
    },
  );
  if ('created' in made && !made.created) context.note(repeatedLine);
  return made;
}

function givenBy(flags: Values): Given {
  const { amount, order, body } = flags;
  return {
    flags: { ...flags, amount: amountValue(amount as string | undefined) },
    order: order as JsonInput | undefined,
    body: body as JsonInput | undefined,
  };
}
