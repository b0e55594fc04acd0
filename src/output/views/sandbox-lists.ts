import { commandText, paydesk } from '../../next-command.js';
import type { JsonObject } from '../../contract/json.js';
import { callsText, type Fault, routeText } from '../../sandbox/index.js';
import { toned, type Line, type View } from '../lines.js';
import type { ListView } from '../rows.js';
import { pad } from '../text.js';
import { tookTime } from '../time.js';
import { textAt } from '../values.js';

/** One kind of instruction in the books of the provider. */
interface BookRow {
  instruction: string;
  told: string;
  done: string;
}

const instructions = ['authorize', 'capture', 'refund', 'void'] as const;

export function booksRows(books: JsonObject): BookRow[] {
  return instructions.map((instruction) => ({
    instruction,
    told: textAt(books, instruction, 'told'),
    done: textAt(books, instruction, 'done'),
  }));
}

export const bookList: ListView<BookRow> = {
  empty: '',
  columns: [
    { key: 'instruction', value: ({ instruction }) => instruction },
    { key: 'told', align: 'right', number: true, value: ({ told }) => told },
    { key: 'done', align: 'right', number: true, value: ({ done }) => done },
  ],
};

function settings({ status, delayMs, retryAfterS, afterCommit }: Fault): string {
  return [
    status === undefined ? '' : `status ${status}`,
    delayMs === undefined ? '' : `delay ${tookTime(delayMs)}`,
    retryAfterS === undefined ? '' : `retry after ${retryAfterS} s`,
    afterCommit ? 'after commit' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

export const faultList: ListView<Fault> = {
  empty: `There are no faults. Add one: ${commandText(paydesk('sandbox', 'fault', 'add', 'KIND'))}`,
  columns: [
    { key: 'id', align: 'right', number: true, value: ({ id }) => String(id) },
    { key: 'kind', value: ({ kind }) => kind },
    { key: 'route', value: ({ route }) => route, shown: routeText },
    {
      key: 'calls',
      value: callsText,
      shown: (fault): Line => toned(fault.remaining === 0 ? 'dim' : undefined, callsText(fault)),
    },
    { key: 'applied', align: 'right', number: true, value: ({ seen }) => String(seen) },
    { key: 'settings', value: settings },
  ],
};

export const faultView: View<Fault> = (fault) => {
  const details = settings(fault);
  return [
    `Fault ${fault.id}: ${fault.kind}, ${routeText(fault)}, ${callsText(fault)}${details && ` (${details})`}.`,
  ];
};

/** For the help text: every kind and what it does. */
export function kindLines(kinds: Readonly<Record<string, { summary: string }>>): string {
  const width = Math.max(...Object.keys(kinds).map((name) => name.length));
  return Object.entries(kinds)
    .map(([name, { summary }]) => `  ${pad(name, width)}  ${summary}`)
    .join('\n');
}
