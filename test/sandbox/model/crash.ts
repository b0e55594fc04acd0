import { setTimeout as after } from 'node:timers/promises';
import type { Answer, SandboxProcess } from '../../helpers/sandbox.js';
import { checkAccepted, createAccepted, type Accepted } from './accepted.js';
import { startFleet, type Fleet } from './fleet.js';
import { checkStory, checkWebhooks, must } from './invariants.js';
import { cardNames, moves, type Move } from './model.js';
import { createRandom, type Random } from './random.js';
import { startReceiver, type Receiver } from './receiver.js';
import { statesOf, type Story } from './story.js';

// Merchants at work on a sandbox whose process is killed again and again, and an audit at the end.

export interface CrashOptions {
  location: string;
  processes: number;
  kills: number;
  seed: number;
  lanes?: number;
}

export interface CrashReport {
  payments: number;
  /** Calls that were answered, and calls whose answer was lost. */
  answered: number;
  lost: number;
}

interface Charge {
  reference: string;
  autoCapture: boolean;
  paymentId: number;
  accepted: Accepted;
  /** The states that answers told of, in order. */
  seen: string[];
}

interface Office {
  fleet: Fleet;
  receiver: Receiver;
  charges: Charge[];
  /** The latest time of the clock that anyone was told. */
  clock: number;
  closing: boolean;
  /** Something failed: nobody insists any more. */
  failed: boolean;
  report: CrashReport;
}

export async function survive({
  location,
  processes,
  kills,
  seed,
  lanes = 6,
}: CrashOptions): Promise<CrashReport> {
  const receiver = await startReceiver({ stumbles: (eventId) => (eventId.endsWith('0') ? 1 : 0) });
  const fleet = await startFleet(location, processes);
  try {
    const report = { payments: 0, answered: 0, lost: 0 };
    const office: Office = { fleet, receiver, charges: [], clock: 0, closing: false, failed: false, report };
    await insist(office, ({ control, app }) =>
      control('PATCH', `/apps/${app.appId}`, { webhookUrl: receiver.url }),
    );
    const work = [
      ...Array.from({ length: lanes }, (_, lane) => runLane(office, lane, createRandom(seed * 1000 + lane))),
      runClock(office, createRandom(seed * 1000 + 999)),
    ];
    try {
      await Promise.race([Promise.all(work), killRepeatedly(office, kills, processes, createRandom(seed))]);
      office.closing = true;
      await Promise.all(work);
    } finally {
      office.failed = !office.closing;
      await Promise.allSettled(work);
    }
    await audit(office);
    return report;
  } finally {
    await fleet.close();
    await receiver.close();
  }
}

async function killRepeatedly(
  office: Office,
  kills: number,
  processes: number,
  random: Random,
): Promise<void> {
  for (let round = 0; round < kills; round++) {
    // The moment is what is tested here: anywhere in the work of the lanes, however fast the machine is.
    const enough = office.report.answered + 5 + random.whole(60);
    while (office.report.answered < enough && !office.failed) await after(2);
    await after(random.whole(20));
    const told = office.clock;
    await office.fleet.kill(random.whole(processes));
    must((await readClock(office)) >= told, 'the clock went back');
  }
}

/** One call. Undefined when its answer was lost. */
async function attempt(
  office: Office,
  call: (client: SandboxProcess) => Promise<Answer>,
): Promise<Answer | undefined> {
  const client = await office.fleet.any();
  let answer: Answer;
  try {
    answer = await call(client);
  } catch {
    office.report.lost++;
    return undefined;
  }
  office.report.answered++;
  must(answer.status < 500, `a call was answered with ${answer.status}: ${answer.text}`);
  return answer;
}

/** The same call until it is answered: for what may be repeated. */
async function insist(office: Office, call: (client: SandboxProcess) => Promise<Answer>): Promise<Answer> {
  while (!office.failed) {
    const answer = await attempt(office, call);
    if (answer) return answer;
  }
  throw new Error('given up, as another part of the work failed');
}

async function runLane(office: Office, lane: number, random: Random): Promise<void> {
  for (let number = 0; !office.closing && !office.failed; number++) {
    const charge = await create(office, `lane-${lane}-${number}`, random);
    await pay(office, charge, random.pick(cardNames));
    for (let step = 0; step < 6; step++) await act(office, charge, random);
  }
}

async function create(office: Office, reference: string, random: Random): Promise<Charge> {
  const autoCapture = random.whole(2) === 0;
  const body = {
    referenceId: reference,
    amount: (1 + random.whole(10_000)) / 100,
    currency: 'EUR',
    autoCapture,
    customerOrder: { customer: { customerId: `c-${random.whole(5)}` } },
  };
  const { status, body: payment, text } = await insist(office, ({ call }) => call('POST', '/payments', body));
  must(status === 201 || status === 200, `a create was answered with ${status}: ${text}`);
  const charge = {
    reference,
    autoCapture,
    paymentId: payment['paymentId'] as number,
    accepted: createAccepted(),
    seen: ['Created'],
  };
  office.charges.push(charge);
  return charge;
}

async function pay(office: Office, charge: Charge, card: string): Promise<void> {
  const answer = await attempt(office, ({ control }) =>
    control('POST', `/payments/id:${charge.paymentId}/pay`, { card }),
  );
  note(charge, 'authorise', answer);
}

/** One thing that the state of the payment asks for, or, now and then, something that it does not. */
async function act(office: Office, charge: Charge, random: Random): Promise<void> {
  const { body } = await insist(office, ({ call }) => call('GET', `/payments/${charge.paymentId}`));
  const state = body['paymentState'] as string;
  charge.seen.push(state);
  if (state === 'Created' || state === 'Declined') return pay(office, charge, 'approved');
  if (state === 'ActionRequired') {
    const answer = await attempt(office, ({ control }) =>
      control('POST', `/payments/id:${charge.paymentId}/pay`, { challenge: 'passed' }),
    );
    return note(charge, 'authorise', answer);
  }
  const sensible: Record<string, Move> = { Held: 'unhold', Authorised: 'capture', Captured: 'refund' };
  const move = random.whole(4) === 0 ? random.pick(moves) : (sensible[state] ?? 'recheck');
  note(
    charge,
    move,
    await attempt(office, ({ call }) => call('POST', `/payments/${charge.paymentId}/${move}`)),
  );
}

function note(charge: Charge, kind: string, answer: Answer | undefined): void {
  if (!answer) charge.accepted.count(kind, 'perhaps');
  else if (answer.status < 300) {
    charge.accepted.count(kind, 'surely');
    charge.seen.push(answer.body['paymentState'] as string);
  }
}

/** Time passes in jumps, so that slow providers answer while everything else goes on. */
async function runClock(office: Office, random: Random): Promise<void> {
  while (!office.closing && !office.failed) {
    await attempt(office, ({ control }) =>
      control('POST', '/clock', { action: 'advance', value: random.whole(40_000) }),
    );
    await readClock(office);
    await after(random.whole(60));
  }
}

async function readClock(office: Office): Promise<number> {
  const { body } = await insist(office, ({ control }) => control('GET', '/clock'));
  const now = Date.parse(body['now'] as string);
  office.clock = Math.max(office.clock, now);
  return now;
}

const LONG = 2 * 86_400_000;

async function audit(office: Office): Promise<void> {
  const { fleet, receiver, charges, report } = office;
  const { control } = await fleet.any();
  const moved = await control('POST', '/clock', { action: 'advance', value: LONG });
  must(moved.status === 200, `the clock was answered with ${moved.status}`);
  const now = Date.parse(moved.body['now'] as string);
  must(now >= office.clock + LONG, 'the clock did not move as far as it was told to');
  const { body: status } = await control('GET', '/status');
  must(status['webhooksWaiting'] === 0, `${String(status['webhooksWaiting'])} webhooks still wait`);
  must(status['payments'] === charges.length, `${String(status['payments'])} payments of ${charges.length}`);
  for (const { paymentId, accepted, autoCapture, seen } of charges) {
    const { body } = await control<Story>('GET', `/payments/id:${paymentId}/story`);
    checkStory(body, now);
    checkAccepted(body, accepted, autoCapture);
    checkWebhooks(body, receiver);
    must(isWithin(seen, statesOf(body)), `answers told ${seen.join(', ')}, which is not its history`, body);
  }
  report.payments = charges.length;
}

/** Whether states that were seen, some of them more than once, are among those of a history and in its order. */
function isWithin(seen: string[], history: string[]): boolean {
  let at = 0;
  return seen.every((state) => {
    const found = history.indexOf(state, at);
    if (found >= 0) at = found;
    return found >= 0;
  });
}
