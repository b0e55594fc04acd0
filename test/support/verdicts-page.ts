// docs/verdicts.md: what the desk says in every situation, for people to read.

import { commandText } from '../../src/next-command.js';
import { type CaseResult, shownStates } from './verdict-table.js';

const cell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/\n+/g, ' ');
const row = (...cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`;

/** Without what differs between two payments or two times. */
const general = (text: string, { id }: CaseResult): string =>
  text
    .replaceAll(`inv-${id}`, 'inv-2041')
    .replaceAll(id, '100231')
    .replaceAll('9 November 2026', '16 November 2026')
    .replaceAll(/(send|sent) (the \w+) \d+ \w+ ago/g, '$1 $2 2 minutes ago');

interface Group {
  members: CaseResult[];
  cells: string[];
}

/** Rows that say the same are one row. */
function grouped(results: readonly CaseResult[], cellsOf: (one: CaseResult) => string[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of results) {
    const cells = cellsOf(one).map((text) => general(text, one));
    const key = cells.join('\n');
    const group = groups.get(key) ?? { members: [], cells };
    group.members.push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `refund failed, cancel refused (after a day)`; a long list that has no operation in common is everything else. */
function membersText({ members }: Group, all: readonly Group[]): string {
  const isLargest = all.every((group) => group.members.length <= members.length);
  const hasNone = members.some(({ last }) => last === undefined);
  const byLast = Map.groupBy(members, ({ last }) =>
    last === undefined ? 'none' : `${last.operation} ${last.outcome}`,
  );
  if (isLargest && hasNone && byLast.size > 6) return withAge('none, or any other', members);
  return [...byLast].map(([text, ones]) => withAge(text, ones)).join(', ');
}

/** Names the age where it is the same of all. */
function withAge(text: string, ones: readonly CaseResult[]): string {
  const [age, ...others] = new Set(ones.map((one) => one.age));
  return others.length > 0 ? text : `${text} (${age === 'late' ? 'after a day' : 'recent'})`;
}

function stateSection(shown: string, results: readonly CaseResult[]): string[] {
  const title =
    shown === ''
      ? 'No state'
      : shown === 'Settling'
        ? 'A state that paydesk does not know (here: Settling)'
        : shown;
  const verdicts = grouped(results, ({ explanation }) => {
    const [first] = explanation.actions;
    const severity = explanation.stuck ? `**${explanation.severity}**` : explanation.severity;
    const person = ['urgent', 'attention'].includes(explanation.severity) ? 'a person decides' : 'nothing';
    const next = first?.recommended ? `\`${commandText(first.command)}\`` : person;
    return [severity, explanation.verdict, next];
  });
  const replies = grouped(results, ({ replies: { en } }) => [en.replace(/^.*\n\n/, '')]);
  return [
    '',
    `## ${title}`,
    '',
    row('Last operation', 'Severity', 'Verdict', 'Recommended'),
    row('---', '---', '---', '---'),
    ...verdicts.map((group) => row(membersText(group, verdicts), ...group.cells)),
    '',
    row('Last operation', 'Reply'),
    row('---', '---'),
    ...replies.map((group) => row(membersText(group, replies), ...group.cells)),
  ];
}

export function verdictsPage(results: readonly CaseResult[]): string {
  return [
    '# Verdicts',
    '',
    'What `payments explain`, `payments list`, `payments resolve` and `--as-reply` say about a payment, for every state and',
    'every last operation of this desk. Made from the program by `UPDATE_DOCS=1 npx vitest run test/support/verdict-table.test.ts`',
    'and compared in the tests. The replies are the English ones, without their greeting.',
    '',
    'A severity in bold means that `payments list --stuck` shows the payment. "Recent" means that the payment is 5 minutes old',
    'and the instruction was sent 2 minutes ago, within the quiet period of 10 minutes. "After a day" means that the payment is',
    'overdue and the quiet period has passed. Rows without either are the same in both cases.',
    ...shownStates.flatMap((shown) =>
      stateSection(
        shown,
        results.filter((one) => one.shown === shown),
      ),
    ),
    '',
  ].join('\n');
}
