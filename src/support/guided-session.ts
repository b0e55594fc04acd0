// The guided session of `payments resolve`: look, choose, confirm, act, look again, next.

import { InterruptedError, PaydeskError, TemporaryError, UnknownOutcomeError } from '../errors.js';
import { paydesk } from '../next-command.js';
import type { ItemStatus, ResolveItemRow } from '../ledger/resolve-schema.js';
import type { Desk } from '../payments/desk.js';
import type { MovesPlan } from '../payments/move/move-all.js';
import { type NamedPayment, namesApart, parsePayment } from '../payments/named-payments.js';
import { parsePastedName } from '../payments/pasted-names.js';
import type { Wakeups } from '../webhooks/inbox/wakeups.js';
import { act, type Acted } from './act.js';
import { type Action, movesMoney } from './action.js';
import { explainAll, type Explained, type ExplainOptions } from './explain.js';
import type { Outcome } from '../ledger/moves/operations.js';
import type { Records } from './records.js';
import type { ResolveSession, Sessions, Why } from './sessions.js';
import type { WatchEvent } from './watch.js';

/** What the person at the terminal sees and answers. */
export interface SessionScreen {
  showPayment(entry: Explained, position: { index: number; count: number; typed: string }, why: Why): void;
  showEvent(event: WatchEvent): void;
  showActed(acted: Acted): void;
  /** `nothingSent`: the error does not say so, and it is certain. */
  showError(error: PaydeskError, about: { nothingSent: boolean }): void;
  choose(menu: Menu): Promise<Choice>;
  askWhy(current: Why): Promise<Why>;
  /** Throws when nothing is to be sent. */
  confirm(action: Action, plan: MovesPlan, why: Why): Promise<void>;
  /** Ctrl-C stops the work and returns to the menu instead of ending the session. */
  untilCtrlC<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T>;
}

interface GuidedSession {
  desk: Desk;
  sessions: Sessions;
  records: Records;
  wakeups: Wakeups;
  explainOptions: () => ExplainOptions;
  screen: SessionScreen;
}

/** How long a move may take before the menu is shown again. */
const WAIT_MS = 15_000;

export type Choice = { kind: 'act'; action: Action } | { kind: 'again' | 'next' | 'why' | 'back' | 'quit' };

/** Goes through the open payments; resolves with whether it came to the end. */
export async function runSession(guided: GuidedSession, session: ResolveSession): Promise<'ended' | 'left'> {
  const { items } = session;
  const first = items.findIndex(({ status }) => status === 'open');
  for (let index = first < 0 ? items.length : first; index < items.length;) {
    const item = items[index] as ResolveItemRow;
    const way = await onePayment(guided, session, item, { index, count: items.length });
    if (way === 'quit') return 'left';
    index += way === 'back' ? -1 : 1;
  }
  await guided.sessions.end(session);
  return 'ended';
}

async function onePayment(
  guided: GuidedSession,
  session: ResolveSession,
  item: ResolveItemRow,
  position: { index: number; count: number },
): Promise<'next' | 'back' | 'quit'> {
  const { screen, sessions } = guided;
  const why = (): Why => ({
    reason: item.reason ?? session.reason ?? undefined,
    ticket: item.ticket ?? session.ticket ?? undefined,
  });
  for (;;) {
    const explained = await look(guided, item);
    screen.showPayment(explained, { ...position, typed: item.typed }, why());
    let choice: Choice;
    do {
      choice = await screen.choose(menuFor(explained, { index: position.index, item }));
      if (choice.kind === 'why') {
        const { ticket = null, reason = null } = await screen.askWhy(why());
        await sessions.mark(item, { ticket, reason });
      }
    } while (choice.kind === 'why');
    if (choice.kind === 'again') continue;
    const status = choice.kind === 'next' ? statusOf(explained, item.actions !== '') : item.status;
    await sessions.mark(item, { ...progressOf(item, explained), status });
    if (choice.kind !== 'act') return choice.kind;
    const done = await carryOut(guided, explained, choice.action, why());
    if (done === undefined) continue;
    await sessions.mark(item, { actions: withAction(item.actions, done) });
  }
}

/** Rechecks in a row are listed once. */
function withAction(actions: string, done: string): string {
  if (actions === '') return done;
  return done === 'recheck' && actions.endsWith(done) ? actions : `${actions}, ${done}`;
}

const actionsOf = (entry: Explained): Action[] => ('explanation' in entry ? entry.explanation.actions : []);

/** Whether something should be done, or decided, about it. */
function needsPerson(entry: Explained): boolean {
  if ('error' in entry) return true;
  const { actions, severity } = entry.explanation;
  return actions[0]?.recommended === true || severity === 'urgent' || severity === 'attention';
}

/** The status of a payment when the person continues with the next one. */
function statusOf(entry: Explained, isActedOn: boolean): ItemStatus {
  if (!isActedOn) {
    if ('error' in entry && entry.error.code === 'not-found') return 'not-found';
    return needsPerson(entry) ? 'skipped' : 'left';
  }
  if (!needsPerson(entry)) return 'done';
  return 'explanation' in entry && entry.explanation.severity === 'waiting' ? 'in-progress' : 'attention';
}

function progressOf(item: ResolveItemRow, entry: Explained) {
  const situation = 'explanation' in entry ? entry.explanation.situation : undefined;
  const state = situation?.shown ?? null;
  return {
    payment_id: situation?.paymentId ?? item.payment_id,
    before_state: item.before_state ?? state,
    after_state: state,
  };
}

function typedName(typed: string): NamedPayment {
  const name = parsePastedName(typed);
  return /[,;]/.test(typed) ? { ...name, apart: paydesk('payments', 'resolve', ...namesApart(typed)) } : name;
}

async function look(
  { desk, records, explainOptions }: GuidedSession,
  item: ResolveItemRow,
): Promise<Explained> {
  const names = [item.payment_id === null ? typedName(item.typed) : parsePayment(`id:${item.payment_id}`)];
  const [entry] = await explainAll(desk.client, names, Promise.resolve(records), explainOptions());
  return entry as Explained;
}

interface MenuEntry {
  name: string;
  description: string;
  value: Choice;
  /** It moves money, so no stray key may go there. */
  arrowsOnly: boolean;
}

interface Menu {
  choices: MenuEntry[];
  start: Choice;
  /** What Esc chooses: never an action. */
  escape: { name: 'back' | 'quit'; value: Choice };
}

/** What is offered for a payment, and where the cursor starts: pressing Enter never moves money. */
export function menuFor(
  entry: Explained,
  { index, item }: { index: number; item: Pick<ResolveItemRow, 'actions'> },
): Menu {
  const actions = actionsOf(entry);
  const offers = actions.map((action): MenuEntry => ({
    name: action.recommended ? `${action.title} (recommended)` : action.title,
    description: action.consequence,
    value: { kind: 'act', action },
    arrowsOnly: movesMoney(action),
  }));
  const [first] = actions;
  const [offer] = offers;
  const other = (name: string, description: string, value: Choice): MenuEntry => ({
    name,
    description,
    value,
    arrowsOnly: false,
  });
  const isLeftOpen = needsPerson(entry) && item.actions === '';
  const next = other(isLeftOpen ? 'Skip' : 'Next', 'Leave this payment as it is.', { kind: 'next' });
  const again = other('Try again', 'Read this payment again.', { kind: 'again' });
  const back = other('Back', 'Return to the payment before.', { kind: 'back' });
  const quit = other('Quit', 'You can resume the session later.', { kind: 'quit' });
  const choices: MenuEntry[] = [
    ...offers,
    ...('error' in entry ? [again] : []),
    next,
    other('Set ticket and reason', 'Recorded in the ledger with what you do to this payment.', {
      kind: 'why',
    }),
    ...(index > 0 ? [back] : []),
    quit,
  ];
  const isAway = 'error' in entry && entry.error instanceof TemporaryError;
  const startsThere = first?.recommended === true && !movesMoney(first);
  return {
    choices,
    start: offer && startsThere ? offer.value : isAway ? again.value : next.value,
    escape: index > 0 ? { name: 'back', value: back.value } : { name: 'quit', value: quit.value },
  };
}

/** Shows the result; resolves with what was done, or with undefined when nothing was. */
async function carryOut(
  guided: GuidedSession,
  entry: Explained,
  action: Action,
  why: Why,
): Promise<string | undefined> {
  if (!('explanation' in entry)) return undefined;
  const { desk, wakeups, screen, records } = guided;
  const follows = action.operation === 'watch' || action.how.keepsChecking;
  const carry = (stopped: AbortSignal) =>
    act(desk, entry.explanation.situation, action, {
      ...why,
      wakeups,
      waitMs: WAIT_MS,
      stopped,
      confirm: (plan) => screen.confirm(action, plan, why),
      onEvent: async (event) => {
        screen.showEvent(event);
        await records.remember([event.read]);
      },
    });
  try {
    const acted = await (follows ? screen.untilCtrlC(carry) : carry(new AbortController().signal));
    if (acted) screen.showActed(acted);
    const lost = acted?.kind === 'moved' ? acted.result.error : undefined;
    // Ctrl-C ends the session, and what it leaves open counts more.
    if (desk.signal.aborted && lost instanceof UnknownOutcomeError) throw lost;
    return acted?.kind === 'moved' ? movedText(action, acted.result.outcome) : action.operation;
  } catch (error) {
    // Ctrl-C ends the session; a declined question ends only this action.
    const leaves = desk.signal.aborted || !(error instanceof PaydeskError);
    if (leaves || (error instanceof InterruptedError && error.code !== 'declined')) throw error;
    screen.showError(error, { nothingSent: movesMoney(action) && error instanceof TemporaryError });
    return error instanceof UnknownOutcomeError ? movedText(action, 'unknown') : undefined;
  }
}

/** `refund`, `refund failed`: what was sent is not always what was done. */
function movedText({ operation }: Action, outcome: Outcome): string {
  if (outcome === 'done' || outcome === 'accepted') return operation;
  return `${operation} ${outcome === 'unsent' ? 'not sent' : outcome}`;
}
