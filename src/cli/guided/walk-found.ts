// The payments that were found, as a list to walk through with the arrow keys.

import { type FoundItem, foundChoices } from '../../output/views/found.js';
import { parsePayment } from '../../payments/named-payments.js';
import { assessAgain } from '../../support/list.js';
import type { CommandContext } from '../runtime/context.js';
import { lazyDatabase, openDesk } from '../desk/desk.js';
import { askMenu } from './menu.js';
import type { Session } from '../desk/session.js';
import { explainOptions, openRecords, storeIfOpen } from '../desk/support-records.js';

/** Where a person goes from a list. */
type Leaving = 'back' | 'quit';

/** Until the person quits, or goes back to where the list was opened. */
export async function walkFound(
  context: CommandContext,
  session: Session,
  found: readonly FoundItem[],
  { back }: { back?: string } = {},
): Promise<Leaving> {
  const items = [...found];
  let last: FoundItem | undefined;
  for (;;) {
    const shown = foundChoices(items, choiceWidth(context));
    const chosen = await askMenu<FoundItem | Leaving>(
      {
        message: 'Open a payment?',
        choices: [
          ...items.map((item, at) => ({ name: '', ...shown[at], short: item.row.payment_id, value: item })),
          ...(back === undefined ? [] : [{ name: back, value: 'back' as const }]),
          { name: 'Quit', value: 'quit' as const },
        ],
        ...(last && { start: last }),
        escape: back === undefined ? { name: 'quit', value: 'quit' } : { name: 'back', value: 'back' },
      },
      context.prompts(),
    );
    if (typeof chosen === 'string') return chosen;
    if (!(await open(context, session, chosen.row.payment_id))) return 'quit';
    last = await seenAgain(context, session, chosen);
    items[items.indexOf(chosen)] = last;
  }
}

/** Text of a list entry, cut to fit beside the pointer. */
export const choiceWidth = (context: CommandContext): number =>
  Math.max(20, context.streams.stderr.width - 4);

/** False to quit. */
async function open(context: CommandContext, session: Session, paymentId: string): Promise<boolean> {
  await showExplanation(context, session, paymentId);
  const next = await askMenu<Leaving | 'resolve'>(
    {
      message: `What next for ${paymentId}?`,
      choices: [
        { name: 'Back to the list', value: 'back' },
        ...(session.profile.readOnly ? [] : [{ name: 'Resolve it', value: 'resolve' as const }]),
        { name: 'Quit', value: 'quit' },
      ],
      escape: { name: 'back', value: 'back' },
    },
    context.prompts(),
  );
  if (next === 'resolve') {
    const { resolvePayments } = await import('./resolve.js');
    const desk = await openDesk(context, {});
    await resolvePayments(context, desk, { named: [`id:${paymentId}`], flags: { stuck: false } });
  }
  return next !== 'quit';
}

/** What was opened was read: the list must not go on showing its old state. */
async function seenAgain(
  context: CommandContext,
  { client, profile }: Session,
  item: FoundItem,
): Promise<FoundItem> {
  const store = await storeIfOpen(context, lazyDatabase(context));
  if (store === undefined) return item;
  const options = explainOptions(context, profile);
  return assessAgain({ store, app: profile, client, ...options }, item);
}

async function showExplanation(context: CommandContext, session: Session, paymentId: string): Promise<void> {
  const { explainAll } = await import('../../support/explain.js');
  const { explanationView } = await import('../../output/views/explanation.js');
  const { client, profile } = session;
  const records = openRecords(context, lazyDatabase(context), profile);
  const [first] = await explainAll(client, [parsePayment(`id:${paymentId}`)], records, {
    ...explainOptions(context, profile),
  });
  if (first && 'explanation' in first) context.show(first.explanation, explanationView);
  else if (first) context.note(first.error.message);
}
