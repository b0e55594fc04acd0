// The guided session of `payments resolve`: look, choose, confirm, act, look again, next.

import { InterruptedError, PaydeskError } from '../errors.js';
import type { Desk } from '../payments/desk.js';
import { parsePayment } from '../payments/named-payments.js';
import type { Line, View } from '../output/lines.js';
import { errorLines } from '../output/report.js';
import { standingView } from '../output/views/explanation.js';
import { moveQuestion, reasonLines } from '../output/views/moves.js';
import { operationLine } from '../output/views/operation.js';
import { checkLines } from '../output/views/check.js';
import { recheckLine } from '../output/views/recheck.js';
import { watchLine } from '../output/views/watch.js';
import type { ResolveItemRow } from '../ledger/resolve-schema.js';
import { act, type Acted, isPending } from '../support/act.js';
import { type Action, movesMoney } from '../support/action.js';
import { explainAll, type Explained, type ExplainOptions } from '../support/explain.js';
import type { Records } from '../support/records.js';
import type { ResolveSession, Sessions } from '../support/sessions.js';
import type { Wakeups } from '../support/wakeups.js';
import type { PromptContext } from './context.js';
import { askToConfirm, type LiveGuard } from './live-guard.js';

/** Why something is done: goes into the ledger. */
interface Why {
  reason: string | undefined;
  ticket: string | undefined;
}

export interface GuidedSession {
  desk: Desk;
  guard: LiveGuard;
  sessions: Sessions;
  records: Records;
  wakeups: Wakeups;
  explainOptions: () => ExplainOptions;
  /** For every payment that has none of its own. */
  why: Why;
  prompts: () => PromptContext;
  show: <T>(value: T, view: View<T>) => void;
  print: (...lines: Line[]) => void;
  width: number;
}

/** How long a move may take before the menu is shown again. */
const WAIT_MS = 15_000;

type Choice = { kind: 'act'; action: Action } | { kind: 'next' | 'why' | 'back' | 'quit' };

/** Goes through the open payments; resolves with whether it came to the end. */
export async function runSession(guided: GuidedSession, session: ResolveSession): Promise<'ended' | 'left'> {
  const { items } = session;
  const first = items.findIndex(({ status }) => status === 'open');
  for (let index = first < 0 ? items.length : first; index < items.length;) {
    const item = items[index] as ResolveItemRow;
    const way = await onePayment(guided, item, { index, count: items.length });
    if (way === 'quit') return 'left';
    index += way === 'back' ? -1 : 1;
  }
  await guided.sessions.end(session);
  return 'ended';
}

async function onePayment(
  guided: GuidedSession,
  item: ResolveItemRow,
  position: { index: number; count: number },
): Promise<'next' | 'back' | 'quit'> {
  let { why } = guided;
  for (;;) {
    const explained = await look(guided, item, position);
    let choice: Choice;
    do {
      choice = await choose(guided, explained, { index: position.index, item });
      if (choice.kind === 'why') why = await askWhy(guided, why);
    } while (choice.kind === 'why');
    if (choice.kind === 'next') {
      const needs = 'error' in explained || actionsOf(explained)[0]?.recommended === true;
      const status = needs && item.actions === '' ? 'skipped' : 'done';
      await guided.sessions.mark(item, { ...progressOf(item, explained), status });
    }
    if (choice.kind !== 'act') return choice.kind;
    if (!(await carryOut(guided, explained, choice.action, why))) continue;
    const actions = [...item.actions.split(', ').filter(Boolean), choice.action.operation].join(', ');
    await guided.sessions.mark(item, { ...progressOf(item, explained), actions });
  }
}

const actionsOf = (entry: Explained): Action[] => ('explanation' in entry ? entry.explanation.actions : []);

function progressOf(item: ResolveItemRow, entry: Explained) {
  const { status, actions } = item;
  const situation = 'explanation' in entry ? entry.explanation.situation : undefined;
  const state = situation?.shown ?? null;
  return {
    status,
    actions,
    payment_id: situation?.paymentId ?? item.payment_id,
    before_state: item.before_state ?? state,
    after_state: state,
  };
}

async function look(
  guided: GuidedSession,
  item: ResolveItemRow,
  { index, count }: { index: number; count: number },
): Promise<Explained> {
  const names = [parsePayment(item.payment_id === null ? item.typed : `id:${item.payment_id}`)];
  const { desk, records } = guided;
  const [entry] = await explainAll(desk.client, names, Promise.resolve(records), guided.explainOptions());
  const explained = entry as Explained;
  guided.print('', `${index + 1} of ${count}   ${item.typed}`, '');
  if ('explanation' in explained) guided.show(explained.explanation, standingView);
  else showError(guided, explained.error);
  guided.print('');
  return explained;
}

function showError({ print, width }: GuidedSession, error: PaydeskError): void {
  print(...errorLines(error, { width, debug: false }));
}

interface MenuEntry {
  name: string;
  description: string;
  value: Choice;
}

/** What is offered for a payment, and where the cursor starts: pressing Enter never moves money. */
export function menuFor(
  entry: Explained,
  { index, item }: { index: number; item: Pick<ResolveItemRow, 'actions'> },
): { choices: MenuEntry[]; start: Choice } {
  const actions = actionsOf(entry);
  const offers = actions.map((action): MenuEntry => ({
    name: action.recommended ? `${action.title} (recommended)` : action.title,
    description: action.consequence,
    value: { kind: 'act', action },
  }));
  const [first] = actions;
  const [offer] = offers;
  const next: MenuEntry = {
    name: first?.recommended && item.actions === '' ? 'Skip' : 'Next',
    description: 'Leave this payment as it is.',
    value: { kind: 'next' },
  };
  const back: MenuEntry = {
    name: 'Back',
    description: 'Return to the payment before.',
    value: { kind: 'back' },
  };
  const choices: MenuEntry[] = [
    ...offers,
    next,
    {
      name: 'Set ticket and reason',
      description: 'Recorded in the ledger with what you do to this payment.',
      value: { kind: 'why' },
    },
    ...(index > 0 ? [back] : []),
    { name: 'Quit', description: 'You can resume the session later.', value: { kind: 'quit' } },
  ];
  const startsThere = first?.recommended === true && !movesMoney(first);
  return { choices, start: offer && startsThere ? offer.value : next.value };
}

async function choose(
  guided: GuidedSession,
  entry: Explained,
  position: { index: number; item: ResolveItemRow },
): Promise<Choice> {
  const { select } = await import('@inquirer/prompts');
  const { choices, start } = menuFor(entry, position);
  return select<Choice>({ message: 'Choose:', choices, default: start, pageSize: 12 }, guided.prompts());
}

async function askWhy({ prompts }: GuidedSession, why: Why): Promise<Why> {
  const { input } = await import('@inquirer/prompts');
  const ask = async (message: string, current: string | undefined) => {
    const typed = await input({ message, ...(current === undefined ? {} : { default: current }) }, prompts());
    return typed.trim() === '' ? undefined : typed.trim();
  };
  return { ticket: await ask('Ticket:', why.ticket), reason: await ask('Reason:', why.reason) };
}

/** Shows the result; false when nothing was done. */
async function carryOut(guided: GuidedSession, entry: Explained, action: Action, why: Why): Promise<boolean> {
  if (!('explanation' in entry)) return false;
  const { desk, wakeups } = guided;
  const follows = action.operation === 'watch' || action.flags.includes('--watch');
  const carry = (stopped: AbortSignal) =>
    act(desk, entry.explanation.situation, action, {
      ...why,
      wakeups,
      waitMs: WAIT_MS,
      stopped,
      confirm: (plan) => confirmMove(guided, action, moveQuestion(plan), why),
      onEvent: async (event) => {
        guided.show(event, watchLine);
        await guided.records.remember([event.read]);
      },
    });
  try {
    const acted = await (follows ? untilCtrlC(guided, carry) : carry(new AbortController().signal));
    if (acted) showActed(guided, acted);
    return true;
  } catch (error) {
    // Ctrl-C ends the session; a declined question ends only this action.
    const leaves = desk.signal.aborted || !(error instanceof PaydeskError);
    if (leaves || (error instanceof InterruptedError && error.code !== 'declined')) throw error;
    showError(guided, error);
    return !(error instanceof InterruptedError);
  }
}

/** A yes on every profile, and what the live guard asks for on a live one. */
async function confirmMove(
  { guard, prompts }: GuidedSession,
  action: Action,
  { lines, amount }: ReturnType<typeof moveQuestion>,
  why: Why,
): Promise<void> {
  const { confirm } = await import('@inquirer/prompts');
  guard.note(...reasonLines(why));
  if (!(await confirm({ message: `${action.title}?`, default: false }, prompts()))) {
    throw new InterruptedError('Nothing was sent.', { code: 'declined' });
  }
  await askToConfirm(guard, { lines, amount });
}

/** Ctrl-C stops what is followed, and returns to the menu instead of ending the session. */
async function untilCtrlC<T>(
  { print, prompts }: GuidedSession,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const input = prompts().input as NodeJS.ReadStream;
  const onKeys = (keys: Buffer) => {
    if (keys.includes(CTRL_C)) stop.abort(new InterruptedError('Stopped.', { code: 'stopped-waiting' }));
  };
  print('Press Ctrl-C to return to the menu.');
  // In raw mode the terminal passes Ctrl-C on as a key instead of interrupting the program.
  input.setRawMode(true);
  input.on('data', onKeys).resume();
  try {
    return await work(stop.signal);
  } finally {
    input.off('data', onKeys).pause();
    input.setRawMode(false);
  }
}

const CTRL_C = 3;

function showActed(guided: GuidedSession, { kind, result }: Acted): void {
  guided.print('');
  if (kind === 'moved') guided.show(result, operationLine);
  if (kind === 'checked') guided.show(result, checkLines);
  if (kind === 'rechecked') guided.show(result, recheckLine);
  if (result.error !== undefined && !isPending(result.error)) showError(guided, result.error);
}
