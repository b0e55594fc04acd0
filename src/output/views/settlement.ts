import type { SettlementReport } from '../../sandbox/index.js';
import { counted } from '../../contract/amount-format.js';
import type { WrittenFile } from '../file.js';
import { joinPieces, TAB, toned, type Line, type View } from '../lines.js';
import { pad } from '../text.js';

const lineText = (line: number | null): string => (line === null ? 'no line' : `line ${line}`);

/** What was planted in a file, for people. */
export function plantedLines({ planted, seed, lines }: SettlementReport): Line[] {
  const cells = planted.map((defect) => [lineText(defect.line), defect.kind, defect.referenceId] as const);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  return [
    `Planted ${counted(planted.length, 'defect')} in ${counted(lines, 'line')} (seed ${seed}):`,
    ...planted.map((defect, index) => {
      const [line, kind, reference] = cells[index]!.map((cell, column) => pad(cell, widths[column]!));
      return joinPieces(
        '  ',
        `${line}  `,
        toned('waiting', `${kind}  `),
        `${reference}  `,
        toned('dim', defect.detail),
      );
    }),
  ];
}

export const settlementView: View<WrittenFile & SettlementReport> = (written, context) => {
  const { file, bytes, lines, planted } = written;
  if (context.terminal) {
    return [
      `Wrote ${counted(lines, 'line')} (${counted(bytes, 'byte')}) to ${file}.`,
      ...(planted.length > 0 ? plantedLines(written) : []),
    ];
  }
  return [
    joinPieces(file, TAB, String(bytes), TAB, String(lines)),
    ...planted.map(({ line, kind, referenceId, detail }) =>
      joinPieces(String(line ?? ''), TAB, kind, TAB, referenceId, TAB, detail),
    ),
  ];
};
