// The conversation of `payments resolve`: look, choose, confirm, act, look again, next.

import { InterruptedError, PaydeskError } from '../errors.js';
import type { Desk } from '../payments/desk.js';
import { parsePayment } from '../payments/named-payments.js';
import type { Line, View } from '../output/lines.js';
import { errorLines } from '../output/report.js';
import { standingView } from '../output/views/explanation.js';
import { moveQuestion } from '../output/views/moves.js';
import { operationLine } from '../output/views/operation.js';
import { recheckLine } from '../output/views/recheck.js';
import { watchLine } from '../output/views/watch.js';
import type { ResolveItemRow } from '../ledger/resolve-schema.js';
import { act, type Acted, isPending } from '../support/act.js';
import type { Action } from '../support/action.js';
import type { Alarm } from '../support/alarm.js';
import { explainAll, type Explained } from '../support/explain-all.js';
import type { ExplainOptions } from '../support/explain.js';
import type { Records } from '../support/records.js';
import type { ResolveSession, Sessions } from '../support/sessions.js';
import { askToConfirm, type LiveGuard, type PromptContext } from './live-guard.js';
import { reasonLines } from './money-command.js';

export interface Guide {
  desk: Desk;
  guard: LiveGuard;
  sessions: Sessions;
  records: Records;
  alarm: Alarm;
  explainOptions: () => ExplainOptions;
  why: { reason?: string | undefined; ticket?: string | undefined };
  prompts: () => PromptContext;
  show: <T>(value: T, view: View<T>) => void;
  print: (...lines: Line[]) => void;
  width: number;
}

/** Somebody looks on: what takes longer is followed with watch. */
const PATIENCE_MS = 15_000;

type Choice = { kind: 'act'; action: Action } | { kind: 'next' | 'back' | 'quit' };

/** Goes through what is open; resolves with whether it came to the end. */
export async function goThrough(guide: Guide, session: ResolveSession): Promise<'ended' | 'left'> {
  const { items } = session;
  const first = items.findIndex(({ status }) => status === 'open');
  for (let index = first < 0 ? items.length : first; index < items.length;) {
    const item = items[index] as ResolveItemRow;
    const way = await oneItem(guide, item, { index, count: items.length });
    if (way === 'quit') return 'left';
    index += way === 'back' ? -1 : 1;
  }
  await guide.sessions.end(session);
  return 'ended';
}

async function oneItem(
  guide: Guide,
  item: ResolveItemRow,
  place: { index: number; count: number },
): Promise<'next' | 'back' | 'quit'> {
  for (;;) {
    const explained = await look(guide, item, place);
    const choice = await choose(guide, explained, place.index, item);
    if (choice.kind === 'next') {
      const needs = 'error' in explained || actionsOf(explained)[0]?.recommended === true;
      const left = needs && item.actions === '';
      await guide.sessions.mark(item, { ...progressOf(item, explained), status: left ? 'skipped' : 'done' });
    }
    if (choice.kind !== 'act') return choice.kind;
    const { operation } = choice.action;
    if (!(await carryOut(guide, explained, choice.action))) continue;
    const actions = [...item.actions.split(', ').filter(Boolean), operation].join(', ');
    await guide.sessions.mark(item, { ...progressOf(item, explained), actions });
  }
}

const actionsOf = (entry: Explained): Action[] => ('explanation' in entry ? entry.explanation.actions : []);

function progressOf(item: ResolveItemRow, entry: Explained) {
  const { status, actions } = item;
  const state = 'explanation' in entry ? entry.explanation.facts.shown : null;
  return {
    status,
    actions,
    payment_id: 'explanation' in entry ? entry.explanation.facts.paymentId : item.payment_id,
    before_state: item.before_state ?? state,
    after_state: state,
  };
}

async function look(
  guide: Guide,
  item: ResolveItemRow,
  { index, count }: { index: number; count: number },
): Promise<Explained> {
  const names = [parsePayment(item.payment_id === null ? item.typed : `id:${item.payment_id}`)];
  const { desk, records } = guide;
  const [entry] = await explainAll(desk.client, names, Promise.resolve(records), guide.explainOptions());
  const explained = entry as Explained;
  guide.print('', `${index + 1} of ${count}   ${item.typed}`, '');
  if ('explanation' in explained) guide.show(explained.explanation, standingView);
  else tell(guide, explained.error);
  guide.print('');
  return explained;
}

function tell({ print, width }: Guide, error: PaydeskError): void {
  print(...errorLines(error, { width, debug: false }));
}

async function choose(guide: Guide, entry: Explained, index: number, item: ResolveItemRow): Promise<Choice> {
  const { select } = await import('@inquirer/prompts');
  const actions = actionsOf(entry);
  const needs = actions[0]?.recommended === true;
  const offers = actions.map((action): { name: string; description: string; value: Choice } => ({
    name: action.title,
    description: action.consequence,
    value: { kind: 'act', action },
  }));
  const skips = needs && item.actions === '';
  const next = { name: skips ? 'Skip it' : 'Next', description: '', value: { kind: 'next' } as Choice };
  return select<Choice>(
    {
      message: 'What to do?',
      // Enter does what is recommended, and goes on where nothing is.
      choices: [
        ...(needs ? [...offers, next] : [next, ...offers]),
        ...(index > 0
          ? [{ name: 'Back', description: 'To the payment before.', value: { kind: 'back' } as Choice }]
          : []),
        { name: 'Quit', description: 'What is left is taken up again next time.', value: { kind: 'quit' } },
      ],
      pageSize: 12,
    },
    guide.prompts(),
  );
}

/** Says what became of it; false when nothing was done after all. */
async function carryOut(guide: Guide, entry: Explained, action: Action): Promise<boolean> {
  if (!('explanation' in entry)) return false;
  const { desk, guard, why, alarm } = guide;
  try {
    const acted = await act(desk, entry.explanation.facts.paymentId, action, {
      ...why,
      alarm,
      settles: entry.explanation.facts.open?.outcome === 'unknown' && action.flags.length === 0,
      patienceMs: PATIENCE_MS,
      confirm: (plan) => {
        const { lines, amount } = moveQuestion(plan);
        return askToConfirm(guard, { lines: [...lines, ...reasonLines(why)], amount });
      },
      onEvent: async (event) => guide.show(event, watchLine),
    });
    if (acted) showActed(guide, acted);
    return true;
  } catch (error) {
    // Ctrl-C ends the session; a question that was answered with nothing only this action.
    const leaves = desk.signal.aborted || !(error instanceof PaydeskError);
    if (leaves || (error instanceof InterruptedError && error.code !== 'declined')) throw error;
    tell(guide, error);
    return !(error instanceof InterruptedError);
  }
}

function showActed(guide: Guide, { kind, result }: Acted): void {
  guide.print('');
  if (kind === 'moved') guide.show(result, operationLine);
  if (kind === 'rechecked') guide.show(result, recheckLine);
  if (result.error !== undefined && !isPending(result.error)) tell(guide, result.error);
}
