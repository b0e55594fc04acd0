import { isStateName, states } from '../../../src/contract/states.js';
import type { Delivery, Receiver } from './receiver.js';
import { lastExchange, statesOf, type Instruction, type Story } from './story.js';

// What must hold of every payment at any moment, whatever was done to it.

export class Broken extends Error {}

export function must(holds: boolean, what: string, story?: Story): asserts holds {
  if (!holds) throw new Broken(story ? `${what}\n${describe(story)}` : what);
}

function describe({ payment, events, operations, exchanges }: Story): string {
  return [
    `payment ${payment.paymentId} ${payment.referenceId}, captured ${payment.capturedAmount} of ${payment.amount}`,
    `states: ${events.map(({ version, to_state, time }) => `${version} ${to_state} @${time}`).join(', ')}`,
    `operations: ${operations.map(({ kind, status }) => `${kind} ${status}`).join(', ')}`,
    `books: ${exchanges.map(({ kind, done, answer }) => `${kind} ${done} (${answer})`).join(', ')}`,
  ].join('\n');
}

const waitingFor: Readonly<Record<string, Instruction>> = {
  Processing: 'authorize',
  Capturing: 'capture',
  Refunding: 'refund',
  Cancelling: 'void',
};

/** No provider of the sandbox takes longer than this to answer. */
const SLOWEST_ANSWER_MS = 60_000;

export function checkStory(story: Story, now: number): void {
  checkHistory(story);
  checkMoney(story);
  checkOperations(story);
  const waiting = waitingFor[story.payment.paymentState];
  const open = waiting && lastExchange(story, waiting);
  must(
    !(open?.answer === 'pending' && open.time + SLOWEST_ANSWER_MS <= now),
    'the provider is overdue with its answer',
    story,
  );
}

function checkHistory(story: Story): void {
  const { events, payment } = story;
  let state: string | null = null;
  let time = 0;
  for (const [index, event] of events.entries()) {
    must(event.version === index + 1, 'versions are not contiguous', story);
    must(
      event.from_state === state,
      `version ${event.version} does not begin where the last one ended`,
      story,
    );
    must(isStateName(event.to_state), `${event.to_state} is not a state`, story);
    const legal =
      event.from_state === null
        ? event.to_state === 'Created'
        : isStateName(event.from_state) && states[event.from_state].next.includes(event.to_state);
    must(legal, `${event.from_state} to ${event.to_state} is not a step of the contract`, story);
    must(event.time >= time, 'time runs backwards', story);
    state = event.to_state;
    time = event.time;
  }
  must(payment.paymentState === state, 'the payment is not where its history ends', story);
}

function checkMoney(story: Story): void {
  const { payment, exchanges } = story;
  const state = payment.paymentState;
  const path = statesOf(story);
  const entered = (name: string) => path.filter((each) => each === name).length;
  const told = (kind: Instruction) => exchanges.filter((each) => each.kind === kind).length;
  const done = (kind: Instruction) =>
    exchanges.filter((each) => each.kind === kind && each.done === 1).length;

  const isCaptured = ['Captured', 'Refunding', 'Refunded'].includes(state);
  must(payment.capturedAmount === (isCaptured ? payment.amount : 0), 'the captured amount is wrong', story);
  must(told('capture') === entered('Capturing'), 'a capture was not told to the provider once', story);
  must(told('refund') === entered('Refunding'), 'a refund was not told to the provider once', story);
  must(told('void') <= entered('Cancelling'), 'a cancel was told to the provider more than once', story);
  for (const kind of ['authorize', 'capture', 'refund', 'void'] as const) {
    must(done(kind) <= 1, `the provider did ${kind} more than once`, story);
  }
  must(done('void') + done('capture') <= 1, 'both cancelled and captured at the provider', story);
  must(done('refund') <= done('capture'), 'refunded without a capture', story);
  must(done('capture') <= done('authorize'), 'captured without an authorisation', story);
  if (isCaptured) must(done('capture') === 1, 'captured here, not at the provider', story);
  if (state === 'Refunded') must(done('refund') === 1, 'refunded here, not at the provider', story);
  if (state === 'Captured') must(done('refund') === 0, 'refunded at the provider, not here', story);
  if (state === 'Cancelled') {
    must(done('capture') === 0, 'cancelled here, captured at the provider', story);
    must(done('void') === done('authorize') || done('void') === 1, 'cancelled, yet still authorised', story);
  }
  if (state === 'Authorised') {
    must(done('authorize') === 1, 'authorised here, not at the provider', story);
    must(done('void') === 0, 'authorised here, released at the provider', story);
  }
  const unpaid = ['Created', 'ActionRequired', 'Held', 'Declined', 'Failed'].includes(state);
  if (unpaid) must(done('authorize') === 0, `${state}, yet authorised at the provider`, story);
  if (unpaid || state === 'Authorised' || state === 'Expired')
    must(done('capture') === 0, `${state}, yet captured at the provider`, story);
}

function checkOperations(story: Story): void {
  const open = story.operations.filter((operation) => operation.status === 'accepted');
  const expected = { Capturing: 'capture', Refunding: 'refund', Cancelling: 'cancel' } as Record<
    string,
    string
  >;
  const kind = expected[story.payment.paymentState];
  must(open.length <= 1, 'more than one operation is open', story);
  must(open.length === 0 || open[0]?.kind === kind, 'an operation is open that nobody waits for', story);
  for (const each of ['capture', 'refund', 'cancel']) {
    const finished = story.operations.filter(({ kind, status }) => kind === each && status === 'done');
    must(finished.length <= 1, `${each} was done more than once`, story);
  }
}

/** The webhooks that arrived for a payment tell its history: each at least once and in order. */
export function checkWebhooks(
  story: Story,
  receiver: Receiver,
  { mayDrop = false, mayReorder = false }: { mayDrop?: boolean; mayReorder?: boolean } = {},
): void {
  const deliveries = receiver.of(story.payment.paymentId);
  const arrived = withoutRepeats(deliveries);
  const taken = new Set(deliveries.filter((delivery) => delivery.taken).map(({ eventId }) => eventId));
  must(taken.size === arrived.length, 'a webhook was never taken by its receiver', story);
  const dropped = story.events.filter((event) => event.outcome === 'dropped');
  must(mayDrop || dropped.length === 0, 'a webhook was dropped without a fault', story);
  must(
    story.events.every(
      ({ finished, outcome }) => finished === 1 && (outcome === 'delivered' || outcome === 'dropped'),
    ),
    'a webhook was not delivered',
    story,
  );
  const sent = story.events.filter((event) => event.outcome !== 'dropped').map((event) => event.to_state);
  const seen = arrived.map((delivery) => delivery.state);
  const tells = mayReorder ? isNearly(seen, sent) : seen.join() === sent.join();
  must(tells, `the webhooks told ${seen.join(', ')} instead of ${sent.join(', ')}`, story);
}

function withoutRepeats(deliveries: Delivery[]): Delivery[] {
  const first = new Map<string, Delivery>();
  for (const delivery of deliveries) if (!first.has(delivery.eventId)) first.set(delivery.eventId, delivery);
  return [...first.values()];
}

/** The same in order, but for neighbours that changed places. */
function isNearly(seen: string[], sent: string[]): boolean {
  if (seen.length !== sent.length) return false;
  for (let index = 0; index < sent.length; index++) {
    if (seen[index] === sent[index]) continue;
    if (seen[index] !== sent[index + 1] || seen[index + 1] !== sent[index]) return false;
    index++;
  }
  return true;
}
