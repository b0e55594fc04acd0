// With UPDATE_DOCS set, figures go into the table of docs/performance.md: each into the row of its name and the column
// of the architecture that it was measured on. What was not measured now stays as it was.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, type FormatConfig } from 'oxfmt';
import type { Figure } from './measure.ts';
import { isMet, limitText } from './report.ts';

const page = fileURLToPath(new URL('../docs/performance.md', import.meta.url));
const formatting = new URL('../.oxfmtrc.json', import.meta.url);
const TABLE = /(?<=<!-- figures -->\n)[\s\S]*(?=<!-- \/figures -->)/;
const architectures = ['arm64', 'x64'];
const NOT_MEASURED = 'not measured';
/** The first row: on which machine, and when. */
const MACHINE = 'machine';

const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function valueText(figure: Figure): string {
  const { value, unit } = figure;
  const text = `${value.toFixed(value >= 100 ? 0 : 2)} ${unit}`.trim();
  return isMet(figure) ? text : `${text}, missed`;
}

export async function updatePage(figures: readonly Figure[], machine: string): Promise<void> {
  if (!process.env['UPDATE_DOCS']) return;
  const text = readFileSync(page, 'utf8');
  const column = 2 + architectures.indexOf(process.arch);
  if (column < 2) throw new Error(`docs/performance.md has no column for ${process.arch}.`);
  const known =
    TABLE.exec(text)?.[0]
      .split('\n')
      .filter((line) => line.startsWith('|')) ?? [];
  const rows = new Map(known.slice(2).map((line) => [cellsOf(line)[0] as string, cellsOf(line)]));
  const put = (name: string, limit: string, value: string) => {
    const row = rows.get(name) ?? [name, '', ...architectures.map(() => NOT_MEASURED)];
    row[1] = limit;
    row[column] = value;
    rows.set(name, row);
  };
  put(MACHINE, '', `${machine}, ${new Date().toISOString().slice(0, 10)}`);
  for (const figure of figures) put(figure.name, limitText(figure), valueText(figure));
  const head = ['figure', 'limit', ...architectures];
  const table = [head, head.map(() => '---'), ...rows.values()].map(lineOf).join('\n');
  const written = text.replace(TABLE, () => `\n${table}\n\n`);
  const { code } = await format(page, written, JSON.parse(readFileSync(formatting, 'utf8')) as FormatConfig);
  writeFileSync(page, code);
}
