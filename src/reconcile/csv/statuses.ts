// Columns that say of each line whether it succeeded: an attempt that failed is no charge.

import { unescaped } from '../../spreadsheet/sheet.js';

const statusWords = new Set(
  (
    'status state result outcome response decision success successful succeeded failure failed error approved declined ' +
    'zustand ergebnis erfolg erfolgreich fehler estado resultado statut état etat résultat resultat stato esito risultato'
  ).split(' '),
);
/** Beside one of these, a state is a place. */
const placeWords = /^(billing|shipping|delivery|address|customer|buyer|country|province|region)$/;

/** By the words of a header: `Payment Status`, `txStatus`, `Zahlungsstatus`. */
export function isStatusColumn(header: string): boolean {
  const words = header
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u);
  if (words.some((word) => placeWords.test(word))) return false;
  return words.some((word) => statusWords.has(word) || word.endsWith('status'));
}

/** Not `refunded`, and not `authorised`: the first may be said of a charge that was returned, the second moves no money. */
const countingWord =
  /^(settled|succeeded|success|successful|completed?|paid|captured|booked|ok|approved|processed|done|final|cleared|posted|true|yes|erfolgreich|abgeschlossen|gebucht|verbucht|bezahlt|ausgeführt|ja|completad[oa]|exitos[oa]|aprobad[oa]|pagad[oa]|payée?|réussie?|terminée?|completat[oa]|riuscit[oa]|pagat[oa]|voltooid|betaald)$/i;

const MAX_NAMED = 5;

interface GuessedStatus {
  /** The column, and its words that count; undefined where nobody can tell which do. */
  found: { column: string; statuses: string[] } | undefined;
  notes: string[];
}

/** `free`: the columns that nothing else is read from. */
export function guessStatus(
  { header, rows }: { header: readonly string[]; rows: ReadonlyArray<readonly string[]> },
  free: readonly string[],
): GuessedStatus {
  const column = free.find((name) => isStatusColumn(name));
  if (column === undefined) return { found: undefined, notes: [] };
  const at = header.indexOf(column);
  const words = [...new Set(rows.map((row) => unescaped(row[at] ?? '')))];
  const statuses = words.filter((word) => countingWord.test(word));
  if (statuses.length === 0)
    return {
      found: undefined,
      notes: [
        `paydesk does not know which words in the column ${column} mean that money moved: add status and statuses to the mapping, or paydesk recommends no refund.`,
      ],
    };
  const others = words.filter((word) => !statuses.includes(word)).map((word) => word || '(empty)');
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '';
  const names = `${others.slice(0, MAX_NAMED).join(', ')}${more}`;
  return {
    found: { column, statuses },
    notes:
      others.length === 0
        ? []
        : [`Lines with the status ${names} are left out: add it to statuses in the mapping if they count.`],
  };
}
