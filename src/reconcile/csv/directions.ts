// A column that says of each amount whether it comes in or goes out, by the words that banks use for it.

const incoming = /^(c|cr|credit|crdt|crédito?|h|ha|haben|haber|k|kredit|abono|avere|bij|\+|in|eingang)$/i;
const outgoing = /^(d|dr|debit|dbit|débito?|debet|s|so|soll|debe|cargo|dare|af|-|out|ausgang)$/i;

export type Directions = { in: string[]; out: string[] };

/** Undefined where a cell has another word. */
export function guessDirections(values: readonly string[]): Directions | undefined {
  const distinct = [...new Set(values)];
  const words = {
    in: distinct.filter((word) => incoming.test(word)),
    out: distinct.filter((word) => outgoing.test(word)),
  };
  const isWhole = distinct.length > 0 && words.in.length + words.out.length === distinct.length;
  return isWhole ? words : undefined;
}

/** Cards have a letter for credit and debit as well. */
const ofCards = /card|karte|tarjeta|carte|carta|method|methode|funding|brand|scheme|account|konto|product/i;

/** A column whose cells alone say so, where it has both. */
export function directionColumn(
  names: readonly string[],
  valuesOf: (name: string) => string[],
): { name: string; directions: Directions } | undefined {
  for (const name of names) {
    const directions = ofCards.test(name) ? undefined : guessDirections(valuesOf(name));
    if (directions && directions.in.length > 0 && directions.out.length > 0) return { name, directions };
  }
  return undefined;
}
