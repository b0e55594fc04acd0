import type { Outcome } from './http.js';
import { must } from './invariants.js';
import {
  answerPaths,
  authorisePaths,
  cardNames,
  chooseProfile,
  isAllowed,
  isCapturable,
  isWaiting,
  movePaths,
  paidPaths,
  SLOW,
  verdictOf,
  type Circumstances,
  type Known,
  type Move,
} from './model.js';
import type { Desk, Entry } from './desk.js';
import type { Member, Step } from './steps.js';

// Steps on payments that are there: the customer, the merchant and the provider, one after another or all at once.

export function circumstancesOf(desk: Desk): Circumstances {
  return {
    now: desk.now,
    mayFail: desk.mayFail,
    mustFail: (instruction) => desk.mustFail('provider-fails', instruction),
  };
}

export function verdictFor(desk: Desk, known: Known) {
  return verdictOf(known, desk.policyOfCustomer.get(known.customer), desk.policyOfApp);
}

const keyOf = (entry: Entry) => `id:${entry.story.payment.paymentId}`;
const stateOf = (entry: Entry) => entry.story.payment.paymentState;

export type PayStep = Extract<Step, { do: 'pay' }>;

/** What the payment would be with the choices of the customer; undefined when it cannot be paid so. */
function chosen(desk: Desk, { known, story }: Entry, step: PayStep): Known | undefined {
  const isOpen = ['Created', 'Declined'].includes(story.payment.paymentState);
  if (known.flow === 'charge' || !isOpen) return undefined;
  if (known.expires !== undefined && known.expires <= desk.now) return undefined;
  const profile = chooseProfile(known, {
    ...(step.profile !== undefined && { profile: step.profile }),
    ...(step.method !== undefined && { method: step.method }),
  });
  if (profile === undefined || (step.saves && !known.offersSaving && !known.registers)) return undefined;
  return { ...known, card: step.card, profile, saves: known.registers || step.saves };
}

function payBody(desk: Desk, step: PayStep): object {
  return {
    card: step.card,
    ...(step.profile !== undefined && { paymentProfileId: desk.world.profileIds[step.profile] }),
    ...(step.method !== undefined && { method: step.method }),
    ...(step.saves && { saveMethod: true }),
  };
}

export async function pay(desk: Desk, entry: Entry, step: PayStep): Promise<void> {
  const next = chosen(desk, entry, step);
  const { status } = await desk.world.control('POST', `/payments/${keyOf(entry)}/pay`, payBody(desk, step));
  await desk.advance(0);
  must(
    next ? status === 200 : status === 400 || status === 422,
    `pay with ${step.card} answered ${status}`,
    entry.story,
  );
  if (!next) return desk.absorb(entry, [[]]);
  entry.known = next;
  entry.accepted.count('authorise', 'surely');
  const before = stateOf(entry);
  const paths = paidPaths(next, verdictFor(desk, next), circumstancesOf(desk));
  // Declined once more is no change of state.
  const isSame = (path: string[]) => before === 'Declined' && path[0] === 'Declined';
  await desk.absorb(
    entry,
    paths.map((path) => (isSame(path) ? [] : path)),
  );
  await desk.refreshMethods(next.customer);
}

export async function challenge(desk: Desk, entry: Entry, passed: boolean): Promise<void> {
  const isOpen = stateOf(entry) === 'ActionRequired';
  const { status } = await desk.world.control('POST', `/payments/${keyOf(entry)}/pay`, {
    challenge: passed ? 'passed' : 'failed',
  });
  await desk.advance(0);
  must(status === (isOpen ? 200 : 422), `the confirmation answered ${status}`, entry.story);
  if (!isOpen) return desk.absorb(entry, [[]]);
  entry.accepted.count('authorise', 'surely');
  const held = verdictFor(desk, entry.known) === 'hold';
  const paths = held ? [['Held']] : authorisePaths(entry.known, circumstancesOf(desk));
  await desk.absorb(entry, passed ? paths : [['Declined']]);
  await desk.refreshMethods(entry.known.customer);
}

export async function provider(
  desk: Desk,
  entry: Entry,
  answer: 'confirm' | 'decline' | 'hold',
): Promise<void> {
  const { known, story } = entry;
  const state = stateOf(entry);
  const profile = known.profile ?? chooseProfile(known, {});
  const fits =
    answer === 'hold'
      ? (state === 'Created' || state === 'ActionRequired') && profile !== undefined
      : isWaiting(state);
  const { status } = await desk.world.control('POST', `/payments/${keyOf(entry)}/provider`, { answer });
  await desk.advance(0);
  must(status === (fits ? 200 : 422), `provider ${answer} answered ${status}`, story);
  if (!fits) return desk.absorb(entry, [[]]);
  if (answer !== 'hold') {
    await desk.absorb(entry, answerPaths(known, story, answer === 'confirm', circumstancesOf(desk)));
    return desk.refreshMethods(known.customer);
  }
  if (profile !== undefined) entry.known = { ...known, profile };
  await desk.absorb(entry, [['Held']]);
}

export async function move(desk: Desk, entry: Entry, kind: Move): Promise<void> {
  const { known, story } = entry;
  const legal = kind === 'capture' ? isCapturable(known, story, desk.now) : isAllowed(kind, stateOf(entry));
  const { outcome, fate } = await desk.call('POST', movePath(entry, kind), kind);
  await desk.advance(0);
  const paths = movePaths(kind, known, story, circumstancesOf(desk));
  must(fate !== 'accepted' || legal, `${kind} was accepted from ${stateOf(entry)}`, story);
  must(fate !== 'refused' || !legal, `${kind} was refused from ${stateOf(entry)}: ${show(outcome)}`, story);
  if (!legal || fate === 'untouched') return desk.absorb(entry, [[]]);
  entry.accepted.count(kind, fate === 'unclear' ? 'perhaps' : 'surely');
  await desk.absorb(entry, fate === 'unclear' ? [...paths, []] : paths);
  await desk.refreshMethods(known.customer);
}

function movePath(entry: Entry, kind: Move): string {
  return `/payments/${entry.story.payment.paymentId}/${kind}`;
}

function show(outcome: Outcome): string {
  return outcome === 'lost' ? 'lost' : `${outcome.status} ${JSON.stringify(outcome.body)}`;
}

/** What a sensible person would do next. */
export async function goOn(desk: Desk, entry: Entry, choice: number): Promise<void> {
  const odd = choice % 2 === 1;
  switch (stateOf(entry)) {
    case 'Created':
    case 'Declined':
      if (entry.known.flow === 'charge') return;
      return pay(desk, entry, {
        do: 'pay',
        pick: 0,
        card: (odd ? cardNames[choice % cardNames.length] : undefined) ?? 'approved',
        saves: entry.known.offersSaving,
        ...(choice % 3 === 0 && entry.known.offered.includes(SLOW) && { profile: SLOW }),
      });
    case 'ActionRequired':
      return challenge(desk, entry, choice % 4 !== 0);
    case 'Held':
      return move(desk, entry, choice % 4 === 0 ? 'cancel' : 'unhold');
    case 'Authorised':
      return move(desk, entry, choice % 3 === 0 ? 'cancel' : 'capture');
    case 'Captured':
      return move(desk, entry, 'refund');
    case 'Processing':
      if (choice % 5 === 0) return move(desk, entry, 'cancel');
      return odd ? move(desk, entry, 'recheck') : provider(desk, entry, 'confirm');
    case 'Capturing':
    case 'Refunding':
    case 'Cancelling':
      if (choice % 3 === 0) return provider(desk, entry, odd ? 'confirm' : 'decline');
      return move(desk, entry, 'recheck');
  }
}

/** Conflicting things at the same moment: whichever comes first, the sum must be right. */
export async function burst(desk: Desk, entry: Entry, card: string, members: Member[]): Promise<void> {
  const { known } = entry;
  const step: PayStep = { do: 'pay', pick: 0, card, saves: false };
  const profile = chooseProfile(known, {});
  let paid = false;
  let moved = 0;
  const control = (path: string, body: object) =>
    desk.world.control('POST', `/payments/${keyOf(entry)}/${path}`, body);

  async function run(member: Member): Promise<void> {
    if (member.do === 'move') {
      const outcome = await desk.world.api('POST', movePath(entry, member.move));
      const fate = desk.fateOf(outcome, member.move);
      if (fate === 'accepted') entry.accepted.count(member.move, 'surely');
      if (fate === 'handled' || fate === 'unclear') entry.accepted.count(member.move, 'perhaps');
    } else if (member.do === 'advance') {
      moved += member.ms;
      const { status } = await desk.world.control('POST', '/clock', { action: 'advance', value: member.ms });
      must(status === 200, `the clock was answered with ${status}`);
    } else {
      const body = member.do === 'pay' ? payBody(desk, step) : { challenge: 'passed' };
      const { status } =
        member.do === 'provider'
          ? await control('provider', { answer: member.answer })
          : await control('pay', body);
      must([200, 400, 422].includes(status), `${member.do} answered ${status}`, entry.story);
      if (status !== 200 || member.do === 'provider') return;
      entry.accepted.count('authorise', 'surely');
      paid ||= member.do === 'pay';
    }
  }

  await Promise.all(members.map(run));
  await desk.advance(0);
  if (paid && profile !== undefined) entry.known = { ...known, card, profile, saves: known.registers };
  await desk.absorbAny(entry);
  if (moved > 0) await desk.absorbTime(entry);
  else await desk.refreshMethods(known.customer);
}
