import type { PaymentRead } from '../client/payment-calls.js';
import type { Missing } from './command-line.js';
import { isJsonObject } from '../contract/json.js';
import type { JsonInput } from './json-input.js';
import type { CreateListening, CreateListeningOptions } from './create-listening.js';
import { askToConfirm, askToGoOn } from './live-guard.js';
import { MoneyCommand, reasonLines } from './money-command.js';
import { chargeStanding } from '../payments/charge-outcome.js';
import type { RequestKind } from '../payments/differences.js';
import { type CreatedPayment, createPayment } from '../payments/create-payment.js';
import { UnknownOutcomeError } from '../errors.js';
import type { Desk } from '../payments/desk.js';
import { recordCreated, recordFound, recordLost } from '../payments/move/record.js';
import { amountValue, draftRequest, type Given, generateReference } from './payment-request.js';
import {
  createSummary,
  generatedLine,
  plannedJson,
  repeatedLine,
  strangeCurrency,
} from '../output/views/created.js';
import { textAt } from '../output/values.js';
import { requestLines } from '../output/views/moves.js';
import type { UsageProblem } from '../output/report.js';
import type { MoneyFlags } from './payment-flags.js';
import { askForPayment } from './payment-prompts.js';

type Values = Record<string, unknown>;

/** create and charge: a body from flags and files, checked before it leaves, sent with a reference. */
export abstract class CreateCommand extends MoneyCommand {
  /** Somebody was asked for values, and sees them together before they are sent. */
  #guided = false;

  protected abstract kindOf(flags: Values): RequestKind;

  protected override async review(
    flags: Values,
    isBad: (input: string) => boolean,
  ): Promise<{ bad: UsageProblem[]; missing: Missing[] }> {
    const { bad, missing } = draftRequest(this.kindOf(flags), givenBy(flags));
    const expires = flags['expires'];
    if (expires instanceof Date && expires <= this.now()) {
      bad.push({ input: '--expires', value: expires.toISOString(), problem: 'must be in the future' });
    }
    // What is missing may be in the file that could not be read.
    const { body } = givenBy(flags);
    const noBody = isBad('--body') || (body !== undefined && !isJsonObject(body.value));
    const mayBeThere = ({ input }: Missing) => noBody || (isBad('--order') && input === '--customer');
    return { bad, missing: missing.filter((value) => !mayBeThere(value)) };
  }

  protected override async ask(missing: readonly Missing[], flags: Values): Promise<Values> {
    this.#guided = true;
    const names = missing.map(({ name }) => name);
    return askForPayment(names, flags, this.promptContext);
  }

  /** Opens a listener for the time of this payment. */
  protected async listenFor(desk: Desk, flags: CreateListeningOptions['flags']): Promise<CreateListening> {
    const { openCreateListening } = await import('./create-listening.js');
    const { terminal, width } = this.streams.stdout;
    const listening = await openCreateListening({
      desk,
      env: this.streams.env,
      secrets: this.secrets,
      flags,
      interactive: this.interactive,
      print: (...lines) => this.print(...lines),
      look: () => ({ terminal, width, now: this.now() }),
    });
    this.atEnd(() => listening.stop());
    return listening;
  }

  /** Makes the payment, or finds the one that its reference made before; undefined after a dry run. */
  protected async make(
    flags: MoneyFlags & Values,
    /** What is checked or begun first; it may give further flags. */
    before?: (desk: Desk) => Promise<Values>,
  ): Promise<{ desk: Desk; made: CreatedPayment } | { planned: Values }> {
    const kind = this.kindOf(flags);
    const { desk, guard } = await this.openDesk(flags);
    const ledgerReady = this.liveLedgerReady(desk, guard);
    const more = await before?.(desk);
    const { body } = draftRequest(kind, givenBy({ ...flags, ...more }));
    const isNew = body['referenceId'] === undefined;
    const referenceId = isNew ? generateReference(this.now(), Math.random) : textAt(body, 'referenceId');
    const named = { ...body, referenceId };
    if (isNew) this.note(generatedLine(referenceId));
    this.note(...strangeCurrency(textAt(body, 'currency')));
    const lines = [...createSummary(kind, named), ...reasonLines(flags)];
    const request = { kind, body: named, isNew, dryRun: flags['dry-run'] };
    const made = await createPayment(desk.client, request, async () => {
      const confirms = guard.profile.kind === 'live' && guard.confirm === undefined;
      if (this.#guided && !confirms) await askToGoOn(guard, { lines });
      await askToConfirm(guard, { lines });
      await ledgerReady;
    }).catch(async (error: unknown) => {
      if (error instanceof UnknownOutcomeError) await recordLost(desk, lostEntry(kind, named, error), flags);
      throw error;
    });
    if ('request' in made) {
      this.print('Would be sent:', ...requestLines(made.request));
      return { planned: plannedJson(made.request) };
    }
    if (made.created) await recordCreated(desk, ledgerEntry(kind, body, made.read), flags);
    else {
      await recordFound(desk, ledgerEntry(kind, body, made.read));
      this.note(repeatedLine);
    }
    return { desk, made };
  }
}

function lostEntry(kind: RequestKind, body: Values & { referenceId: string }, error: UnknownOutcomeError) {
  return {
    operation: kind === 'charge' ? ('charge' as const) : ('create' as const),
    referenceId: body.referenceId,
    amount: textAt(body, 'amount'),
    // A charge has none: it is that of the stored method.
    currency: textAt(body, 'currency') || undefined,
    error,
  };
}

/** A create is done when it is made; what became of a charge is in its state. */
function ledgerEntry(kind: RequestKind, body: Values, read: PaymentRead) {
  if (kind !== 'charge') return { read, operation: 'create', outcome: 'done' } as const;
  const standing = chargeStanding(read, body['autoCapture'] === true);
  return { read, operation: 'charge', outcome: standing === 'on-its-way' ? 'accepted' : standing } as const;
}

function givenBy(flags: Values): Given {
  const { amount, order, body } = flags;
  return {
    flags: { ...flags, amount: amountValue(amount as string | undefined) },
    order: order as JsonInput | undefined,
    body: body as JsonInput | undefined,
  };
}
