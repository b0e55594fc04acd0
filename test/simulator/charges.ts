// Creates and charges: keyed by their reference, so that a job that is run again makes nothing new.

import type { Outcome } from '../../src/ledger/moves/operations.js';
import { startProcess, type Simulation } from './operators.ts';
import { createBody } from './payments.ts';
import { followCharge, sendCreate, PaydeskError, TemporaryError } from './program.ts';
import type { World } from './service.ts';

export interface ChargeReport {
  process: string;
  reference: string;
  kind: 'charge' | 'hosted-page';
  /** `nothing`: it was told that nothing was changed; `open`: that it may have been carried out, or nothing at all. */
  told: Outcome | 'nothing' | 'open';
  time: number;
}

export interface ChargeJob {
  kind: ChargeReport['kind'];
  body: ReturnType<typeof createBody> | ReturnType<typeof chargeBody>;
}

function chargeBody({ random }: Simulation, reference: string) {
  return {
    referenceId: reference,
    amount: random.between(100, 99_999) / 100,
    autoCapture: random.chance(0.7),
    customerOrder: { customer: { customerId: `c-${random.whole(2)}` } },
  };
}

export function chooseJob(simulation: Simulation, reference: string): ChargeJob {
  const { random, timeline } = simulation;
  if (random.chance(0.7)) return { kind: 'charge', body: chargeBody(simulation, reference) };
  const body = createBody(random, reference, timeline.now(), { autoCapture: true });
  return { kind: 'hosted-page', body };
}

/** One run of a job; the same job may be run again, by the same or another process. */
export async function runJob(simulation: Simulation, name: string, job: ChargeJob): Promise<ChargeReport> {
  const { timeline, trace } = simulation;
  const { kind, body } = job;
  const { life, desk } = startProcess(simulation, name);
  trace(`${name} starts ${kind} ${body.referenceId}`);
  const ended = await life.live(async () => {
    const request = { kind, body, isNew: false, dryRun: false };
    const made = await sendCreate(desk.client, request, {
      confirm: () => life.sleep(100),
      record: async () => ({ wasSent: false }),
      standingOf: async () => undefined,
      steady: desk.steady,
    });
    if (!('read' in made) || kind !== 'charge') return 'done';
    const wanted = { autoCapture: body.autoCapture, wait: false };
    return (await followCharge(desk, made.read, wanted)).outcome;
  });
  if ('error' in ended && !(ended.error instanceof PaydeskError)) throw ended.error;
  const failed = 'error' in ended && ended.error instanceof TemporaryError ? 'nothing' : 'open';
  const told = 'value' in ended ? ended.value : failed;
  trace(`${name} ${kind} ${body.referenceId}: ${told}`);
  if (told === 'failed') simulation.count('charge-failed');
  return { process: name, reference: body.referenceId, kind, told, time: timeline.now() };
}

/** What a charge ends in that went wrong, was called off, or was given back. */
const failures: readonly string[] = ['Declined', 'Failed', 'Expired', 'Cancelled', 'Refunded'];

/** A reference makes one payment at most, the provider is told once, and what was told of it is so. */
export async function checkCharges(
  world: World,
  reports: readonly ChargeReport[],
  violate: (text: string) => void,
): Promise<void> {
  const payments = await world.payments();
  const exchanges = await world.exchanges();
  for (const reference of new Set(reports.map((report) => report.reference))) {
    const own = reports.filter((report) => report.reference === reference);
    const made = payments.filter(({ reference_id }) => reference_id === reference);
    if (made.length > 1) violate(`${reference} made ${made.length} payments`);
    const [payment] = made;
    if (payment && own.every(({ told }) => told === 'nothing'))
      violate(`${reference} was made and nobody was told`);
    if (!payment && own.some(({ told }) => !['nothing', 'open'].includes(told))) {
      violate(`${reference} was reported and does not exist`);
    }
    if (!payment || own[0]?.kind !== 'charge') continue;
    const authorised = exchanges.filter(
      ({ payment_id, kind }) => payment_id === payment.payment_id && kind === 'authorize',
    );
    if (authorised.length > 1 && payment.state !== 'Held') {
      violate(`the provider was told ${authorised.length} times to charge ${reference}`);
    }
    for (const { process, told, time } of own) {
      const seen = await world.statesUntil(payment.payment_id, time);
      const charged = authorised.some(({ done }) => done === 1);
      const so = `${reference} was reported as ${told} to ${process} and was ${seen.at(-1)}`;
      if (told === 'done' && !charged) violate(so);
      if (told === 'failed' && !seen.some((state) => failures.includes(state))) violate(so);
    }
  }
}
