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
import type { ModelRun, Entry } from './model-run.js';
import type { Member, Step } from './steps.js';

// Steps on payments that are there: the customer, the merchant and the provider, one after another or all at once.

export function circumstancesOf(model: ModelRun): Circumstances {
  return {
    now: model.now,
    mayFail: model.mayFail,
    mustFail: (instruction) => model.mustFail('provider-fails', instruction),
  };
}

export function verdictFor(model: ModelRun, known: Known) {
  return verdictOf(known, model.policyOfCustomer.get(known.customer), model.policyOfApp);
}

const keyOf = (entry: Entry) => `id:${entry.story.payment.paymentId}`;
const stateOf = (entry: Entry) => entry.story.payment.paymentState;

export type PayStep = Extract<Step, { do: 'pay' }>;

/** What the payment would be with the choices of the customer; undefined when it cannot be paid so. */
function chosen(model: ModelRun, { known, story }: Entry, step: PayStep): Known | undefined {
  const isOpen = ['Created', 'Declined'].includes(story.payment.paymentState);
  if (known.flow === 'charge' || !isOpen) return undefined;
  if (known.expires !== undefined && known.expires <= model.now) return undefined;
  const profile = chooseProfile(known, {
    ...(step.profile !== undefined && { profile: step.profile }),
    ...(step.method !== undefined && { method: step.method }),
  });
  if (profile === undefined || (step.saves && !known.offersSaving && !known.registers)) return undefined;
  return { ...known, card: step.card, profile, saves: known.registers || step.saves };
}

function payBody(model: ModelRun, step: PayStep): object {
  return {
    card: step.card,
    ...(step.profile !== undefined && { paymentProfileId: model.world.profileIds[step.profile] }),
    ...(step.method !== undefined && { method: step.method }),
    ...(step.saves && { saveMethod: true }),
  };
}

export async function pay(model: ModelRun, entry: Entry, step: PayStep): Promise<void> {
  const next = chosen(model, entry, step);
  const { status } = await model.world.control('POST', `/payments/${keyOf(entry)}/pay`, payBody(model, step));
  await model.advance(0);
  must(
    next ? status === 200 : status === 400 || status === 422,
    `pay with ${step.card} answered ${status}`,
    entry.story,
  );
  if (!next) return model.absorb(entry, [[]]);
  entry.known = next;
  entry.accepted.count('authorise', 'surely');
  const before = stateOf(entry);
  const paths = paidPaths(next, verdictFor(model, next), circumstancesOf(model));
  // Declined once more is no change of state.
  const isSame = (path: string[]) => before === 'Declined' && path[0] === 'Declined';
  await model.absorb(
    entry,
    paths.map((path) => (isSame(path) ? [] : path)),
  );
  await model.refreshMethods(next.customer);
}

export async function challenge(model: ModelRun, entry: Entry, passed: boolean): Promise<void> {
  const isOpen = stateOf(entry) === 'ActionRequired';
  const { status } = await model.world.control('POST', `/payments/${keyOf(entry)}/pay`, {
    challenge: passed ? 'passed' : 'failed',
  });
  await model.advance(0);
  must(status === (isOpen ? 200 : 422), `the confirmation answered ${status}`, entry.story);
  if (!isOpen) return model.absorb(entry, [[]]);
  entry.accepted.count('authorise', 'surely');
  const held = verdictFor(model, entry.known) === 'hold';
  const paths = held ? [['Held']] : authorisePaths(entry.known, circumstancesOf(model));
  await model.absorb(entry, passed ? paths : [['Declined']]);
  await model.refreshMethods(entry.known.customer);
}

export async function provider(
  model: ModelRun,
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
  const { status } = await model.world.control('POST', `/payments/${keyOf(entry)}/provider`, { answer });
  await model.advance(0);
  must(status === (fits ? 200 : 422), `provider ${answer} answered ${status}`, story);
  if (!fits) return model.absorb(entry, [[]]);
  if (answer !== 'hold') {
    const isRefused = state === 'Processing' && answer === 'decline';
    const paths = answerPaths(known, story, answer === 'confirm', circumstancesOf(model));
    await model.absorb(entry, isRefused ? [['Declined']] : paths);
    return model.refreshMethods(known.customer);
  }
  if (profile !== undefined) entry.known = { ...known, profile };
  await model.absorb(entry, [['Held']]);
}

export async function move(model: ModelRun, entry: Entry, kind: Move): Promise<void> {
  const { known, story } = entry;
  const legal = kind === 'capture' ? isCapturable(known, story, model.now) : isAllowed(kind, stateOf(entry));
  const { outcome, effect } = await model.call('POST', movePath(entry, kind), kind);
  await model.advance(0);
  const paths = movePaths(kind, known, story, circumstancesOf(model));
  must(effect !== 'accepted' || legal, `${kind} was accepted from ${stateOf(entry)}`, story);
  must(effect !== 'refused' || !legal, `${kind} was refused from ${stateOf(entry)}: ${show(outcome)}`, story);
  if (!legal || effect === 'untouched') return model.absorb(entry, [[]]);
  entry.accepted.count(kind, effect === 'unclear' ? 'perhaps' : 'surely');
  await model.absorb(entry, effect === 'unclear' ? [...paths, []] : paths);
  await model.refreshMethods(known.customer);
}

function movePath(entry: Entry, kind: Move): string {
  return `/payments/${entry.story.payment.paymentId}/${kind}`;
}

function show(outcome: Outcome): string {
  return outcome === 'lost' ? 'lost' : `${outcome.status} ${JSON.stringify(outcome.body)}`;
}

/** What a sensible person would do next. */
export async function playNextStep(model: ModelRun, entry: Entry, choice: number): Promise<void> {
  const odd = choice % 2 === 1;
  switch (stateOf(entry)) {
    case 'Created':
    case 'Declined':
      if (entry.known.flow === 'charge') return;
      return pay(model, entry, {
        do: 'pay',
        pick: 0,
        card: (odd ? cardNames[choice % cardNames.length] : undefined) ?? 'approved',
        saves: entry.known.offersSaving,
        ...(choice % 3 === 0 && entry.known.offered.includes(SLOW) && { profile: SLOW }),
      });
    case 'ActionRequired':
      return challenge(model, entry, choice % 4 !== 0);
    case 'Held':
      return move(model, entry, choice % 4 === 0 ? 'cancel' : 'unhold');
    case 'Authorised':
      return move(model, entry, choice % 3 === 0 ? 'cancel' : 'capture');
    case 'Captured':
      return move(model, entry, 'refund');
    case 'Processing':
      if (choice % 5 === 0) return move(model, entry, 'cancel');
      return odd ? move(model, entry, 'recheck') : provider(model, entry, 'confirm');
    case 'Capturing':
    case 'Refunding':
    case 'Cancelling':
      if (choice % 3 === 0) return provider(model, entry, odd ? 'confirm' : 'decline');
      return move(model, entry, 'recheck');
  }
}

/** Conflicting things at the same moment: whichever comes first, the sum must be right. */
export async function burst(model: ModelRun, entry: Entry, card: string, members: Member[]): Promise<void> {
  const { known } = entry;
  const step: PayStep = { do: 'pay', pick: 0, card, saves: false };
  const profile = chooseProfile(known, {});
  let paid = false;
  let moved = 0;
  const control = (path: string, body: object) =>
    model.world.control('POST', `/payments/${keyOf(entry)}/${path}`, body);

  async function run(member: Member): Promise<void> {
    if (member.do === 'move') {
      const outcome = await model.world.api('POST', movePath(entry, member.move));
      const effect = model.effectOf(outcome, member.move);
      if (effect === 'accepted') entry.accepted.count(member.move, 'surely');
      if (effect === 'handled' || effect === 'unclear') entry.accepted.count(member.move, 'perhaps');
    } else if (member.do === 'advance') {
      moved += member.ms;
      const { status } = await model.world.control('POST', '/clock', { action: 'advance', value: member.ms });
      must(status === 200, `the clock was answered with ${status}`);
    } else {
      const body = member.do === 'pay' ? payBody(model, step) : { challenge: 'passed' };
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
  await model.advance(0);
  if (paid && profile !== undefined) entry.known = { ...known, card, profile, saves: known.registers };
  await model.absorbAny(entry);
  if (moved > 0) await model.absorbTime(entry);
  else await model.refreshMethods(known.customer);
}
