import { counted, countText } from '../../contract/amount-format.js';
import { Refusal } from '../domain/refusal.js';
import type { SandboxEngine } from '../engine.js';
import { createDraw, type DefectKind, type Draw } from './defects.js';
import { readEntries, type BookEntry, type BooksScope } from './entries.js';

export interface PlannedDefect {
  kind: DefectKind;
  draw: Draw;
}

/**
 * The entry that each defect is planted at, by the instruction in the books: captures of payments that the service shows
 * as Captured, each with at most one defect, so that every defect can be found on its own.
 */
export async function chooseDefectEntries(
  engine: SandboxEngine,
  scope: BooksScope,
  { defects, seed }: { defects: readonly DefectKind[]; seed: number },
): Promise<Map<number, PlannedDefect>> {
  const chosen = new Map<number, PlannedDefect>();
  if (defects.length === 0) return chosen;
  const last = await engine.store.db
    .selectFrom('exchanges')
    .select('id')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  for (const [index, kind] of defects.entries()) {
    const draw = createDraw(seed, `${index}:${kind}`);
    const isFree = (entry: BookEntry) =>
      entry.type === 'capture' && entry.isCaptured && !chosen.has(entry.exchangeId);
    // From a place in the books that the seed decides on to their end, and then from their beginning.
    const start = draw('place', last?.id ?? 1);
    const entry =
      (await firstEntry(engine, scope, isFree, start)) ?? (await firstEntry(engine, scope, isFree, 0));
    if (!entry) {
      const [needed, there] = [defects.length, chosen.size];
      const needs = counted(needed, 'defect needs', 'defects need');
      const problem = `${needs} ${counted(needed, 'captured payment')}, but the file has ${countText(there)}.`;
      throw new Refusal(
        'operation-not-allowed',
        `${problem} Plant fewer defects, or add ${counted(needed - there, 'more captured payment')}.`,
      );
    }
    chosen.set(entry.exchangeId, { kind, draw });
  }
  return chosen;
}

async function firstEntry(
  engine: SandboxEngine,
  scope: BooksScope,
  fits: (entry: BookEntry) => boolean,
  after: number,
): Promise<BookEntry | undefined> {
  for await (const page of readEntries(engine, scope, after)) {
    const found = page.find(fits);
    if (found) return found;
  }
  return undefined;
}
