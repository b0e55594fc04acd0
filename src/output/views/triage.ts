// Several payments at once: where each stands, and what to do next.

import { firstLine } from '../../errors.js';
import { commandText, paydesk } from '../../next-command.js';
import type { Explained, Explanation } from '../../support/explain.js';
import { type Line, type ViewContext, toned, type View } from '../lines.js';
import type { ListView } from '../rows.js';
import { statePiece, textAt } from '../values.js';
import { indentedCommand } from './explanation.js';
import { ageText, severityPiece } from './severity.js';

const of = <T>(entry: Explained, value: (explanation: Explanation) => T, otherwise: T): T =>
  'explanation' in entry ? value(entry.explanation) : otherwise;

export const triageList: ListView<Explained> = {
  empty: 'No payments.',
  columns: [
    {
      key: 'payment',
      value: (entry) => of(entry, ({ situation }) => situation.paymentId, entry.typed),
    },
    {
      key: 'reference',
      mayCut: (entry) => 'explanation' in entry,
      value: (entry) => of(entry, ({ payment }) => textAt(payment, 'referenceId'), ''),
    },
    {
      key: 'state',
      value: (entry) => of(entry, ({ situation }) => situation.shown, '?'),
      shown: (entry) => statePiece(of(entry, ({ situation }) => situation.shown, '?')),
    },
    { key: 'age', extra: 'terminal', value: (entry) => of(entry, ({ age }) => ageText(age), '') },
    {
      key: 'severity',
      value: (entry) => of<string>(entry, ({ severity }) => severity, 'error'),
      shown: (entry) =>
        'error' in entry ? toned('bad', 'error') : severityPiece(entry.explanation.severity),
    },
    {
      key: 'verdict',
      // In a narrower column a sentence has one or two words per line.
      stackBelow: 24,
      value: (entry) => ('error' in entry ? firstLine(entry.error.message) : entry.explanation.verdict),
    },
    { key: 'next', extra: 'terminal', value: (entry) => of(entry, recommendedCommand, '') },
    {
      key: 'reply',
      extra: true,
      value: (entry) => of(entry, ({ reply }) => reply.replaceAll(/\n+/g, ' '), ''),
    },
  ],
};

/**
 * Below the table on a terminal, each on a line of its own so that it can be copied: the recommended commands, and where to
 * read on about payments that need attention and have none.
 */
export const nextCommandsView =
  (profile: string | undefined): View<readonly Explained[]> =>
  (explained, context) => {
    if (!context.terminal) return [];
    const toDecide = explained.flatMap((entry) =>
      'explanation' in entry && isForPerson(entry.explanation)
        ? [commandText(paydesk('payments', 'explain', entry.explanation.situation.paymentId), profile)]
        : [],
    );
    return [
      ...commandSection(
        'Recommended',
        explained.map((entry) => of(entry, recommendedCommand, '')),
        context,
      ),
      ...commandSection('You have to decide', toDecide, context),
    ];
  };

/** Needs attention, and only a person knows what is right. */
const isForPerson = (explanation: Explanation): boolean =>
  recommendedCommand(explanation) === '' &&
  (explanation.severity === 'urgent' || explanation.severity === 'attention');

function commandSection(title: string, commands: readonly string[], context: ViewContext): Line[] {
  const some = commands.filter(Boolean);
  if (some.length === 0) return [];
  return ['', title, ...some.flatMap((command) => indentedCommand(command, '  ', context))];
}

function recommendedCommand({ actions }: Explanation): string {
  const [first] = actions;
  return first?.recommended ? commandText(first.command) : '';
}
