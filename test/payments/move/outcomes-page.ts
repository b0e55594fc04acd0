// docs/outcomes.md: what becomes of an instruction, for people to read.

import { answers, namings, recheckKinds, type Treatment } from './odd-service.js';
import {
  allCells,
  endingOf,
  endingOfReads,
  rules,
  showsOf,
  verbs,
  type Ending,
  type Shows,
} from './outcome-rules.js';

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`;

/** A table as `npm run format` writes it. */
function table(head: string[], rows: string[][]): string[] {
  const widths = head.map((cell, index) =>
    Math.max(3, cell.length, ...rows.map((cells) => cells[index]?.length ?? 0)),
  );
  const padded = (cells: string[]) => row(...cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)));
  return [padded(head), row(...widths.map((width) => '-'.repeat(width))), ...rows.map(padded)];
}

const endingText = ({ outcome, exit }: Ending): string => `\`${outcome}\`, exit ${exit}`;

/** `done` for an unhold, `accepted` for the others. */
function proofText(): string {
  const groups = Map.groupBy(verbs, (verb) => endingText(endingOfReads.proof(verb)));
  return [...groups].map(([text, of]) => `${text} (${of.join(', ')})`).join('; ');
}

const ways = {
  plain: 'the same command',
  resend: 'the same command with `--resend`',
} as const;

function endings(): string[] {
  return table(
    ['The service answered', 'The payment has not changed', 'To send it again after the quiet period'],
    rules.map(({ answers: of, nothing, way }) => [of.join(', '), endingText(nothing), ways[way]]),
  );
}

const showsText: Record<Shows, string> = {
  proof: 'that it was carried out',
  difference: 'another difference',
  nothing: 'no difference',
};

/** Which answers make no difference to what the reads show. */
function shown(): string[] {
  const worlds = allCells().filter(({ verb, answer }) => verb === 'refund' && answer === '422');
  const committed = worlds.filter((world) => world.committed);
  const rows = committed.map((world) => {
    const text = (answer: Treatment['answer']) => showsText[showsOf({ ...world, answer })];
    return {
      lagging: world.lagging,
      recheck: world.recheck,
      names: world.names,
      cells: [text('200 with the payment'), text('204'), text('422')],
    };
  });
  const groups = Map.groupBy(rows, ({ lagging, names, cells }) => [lagging, names, ...cells].join());
  return table(
    [
      'Reads',
      'Recheck',
      'State names',
      'After a 200 with the payment',
      'After a 204',
      'After any other answer',
    ],
    [...groups.values()].map((group) => {
      const [first] = group as [(typeof rows)[number]];
      const rechecks =
        group.length === recheckKinds.length ? 'any' : group.map(({ recheck }) => recheck).join(', ');
      const names = first.names === 'ours' ? 'known' : 'unknown';
      return [first.lagging ? 'late' : 'fresh', rechecks, names, ...first.cells];
    }),
  );
}

function countText(): string {
  const cells = allCells();
  const counts = Map.groupBy(cells, (cell) => endingOf(cell).outcome);
  const each = [...counts].map(([outcome, of]) => `${of.length} \`${outcome}\``).join(', ');
  return (
    `${cells.length.toLocaleString('en')} cases (${verbs.length} operations, ${answers.length} answers, carried out or not, ` +
    `fresh or late reads,\n${recheckKinds.length} kinds of recheck, ${namings.length} sets of state names): ${each}.`
  );
}

export function outcomesPage(): string {
  return [
    '# Outcomes',
    '',
    'What paydesk reports after it has sent a capture, cancel, refund or unhold, and when the same instruction can be sent',
    'again. The answer of the service is evidence; only the payment proves anything. Made by',
    '`UPDATE_DOCS=1 npx vitest run test/payments/move/matrix.test.ts` from the table that this test holds the program to.',
    '',
    '## After the answer',
    '',
    'paydesk reads the payment. Where the read proves nothing, it asks the service for a recheck and reads again.',
    '',
    ...table(
      ['The reads show', 'Outcome'],
      [
        ['that it was carried out', proofText()],
        [
          'another difference, such as a state that paydesk does not know',
          endingText(endingOfReads.difference('refund')),
        ],
        ['no difference', 'depends on the answer: see the next table'],
      ],
    ),
    '',
    ...endings(),
    '',
    'An `accepted` instruction becomes `done` when a later read shows the end state, for example Refunded. It becomes `failed`',
    'only when the payment is again as it was before, but for a reason of the failure, and still is after a quiet period from',
    'when that was first seen and a recheck. With any other difference it is `unknown`. Until a read shows that it is under way,',
    '`payments check` and the same command report it as still open, exit 6, and send nothing.',
    '',
    'Where the same was under way already and it was sent with `--force`, nobody can tell the two apart. It is `done` when the',
    'payment shows the end state, unless the service refused it; if the payment comes back instead, and is still so after the',
    'quiet period and a recheck, it is `failed`.',
    '',
    'Every other 4xx is `refused` like 400. A success whose body shows the payment in a state that is neither the one before',
    'nor one that the instruction leads to, has a field twice or reports a failure, is `unknown`, and so is a recheck that',
    'shows a change which the read after it does not have.',
    '',
    'paydesk follows no redirects. A redirect does not prove that nothing was done, so it counts like 503. The same holds for',
    'every other change: to a customer, and through `paydesk api` to a path that paydesk does not know.',
    '',
    '`--wait`, rows of a batch and `paydesk api` follow the same rule. A row that was refused or accepted is over for its',
    'batch: only a person sends it again. There is one exception. A row can be accepted because of what another command has sent. When',
    'that is sent again and the service does not take it, `batch resume` reports the row as left to do, and the next one sends it.',
    'A row that the service throttles (425, 429) is sent up to three times in one run; then it is reported as `throttled`, and',
    '`batch resume` tries it again.',
    '',
    '## What the reads can show of an instruction that was carried out',
    '',
    'A service may show late what it did, and it may name its states differently. `paydesk profiles alias` maps its names to',
    'known ones. Where the reads show no difference yet, the outcome is the one in the table above, and the quiet period keeps',
    'the instruction from being sent twice.',
    '',
    ...shown(),
    '',
    'A recheck is _fresh_ when the reads after it show everything, _empty_ when the service answers 204, _unsupported_ when it',
    'answers 404, and _stale_ when it answers with the payment as it was.',
    '',
    '## Sending again',
    '',
    'Until the quiet period has passed, nothing sends the same instruction again: not the same command, not `--again`, not',
    '`--resend`, not several of them at once. After it, paydesk asks for a recheck and reads the payment:',
    '',
    ...table(
      ['After the quiet period', 'What happens'],
      [
        ['the payment shows that it was carried out', 'it is reported, and never sent again'],
        ['the payment differs in any other way', 'it is not sent again'],
        ['the payment is exactly as it was', 'it can be sent again, once, as the table above says'],
        [
          'the service has no rechecks, or only queues them',
          'it is not sent again (exit 9, `not-rechecked`)',
        ],
      ],
    ),
    '',
    'If the second request never leaves this machine (the connection is refused, for example), the first instruction stays as it',
    'was: an unknown outcome stays unknown, and a failed one still needs `--again`.',
    '',
    `The test runs ${countText()}`,
    '',
  ].join('\n');
}
