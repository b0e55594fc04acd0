// A provider's settlement file, written from its books. The same books, seed and time give the same file, so what was
// planted in it can be asked for on its own.

import { invalidField, Refusal } from '../domain/refusal.js';
import type { SandboxEngine } from '../engine.js';
import { camtFile } from './camt-file.js';
import { csvFile } from './csv-file.js';
import { defectNames, plant, type DefectKind } from './defects.js';
import type { FileFormat, StreamedFile } from './file-format.js';
import { readEntries, type BookEntry, type BooksScope } from './entries.js';
import { chooseDefectEntries, type PlannedDefect } from './defect-entries.js';
import type { PlantedDefect, SettlementReport, SettlementRequest } from './request-and-report.js';

const formats = { csv: csvFile, camt: camtFile } as const;

interface Plan {
  format: FileFormat;
  scope: BooksScope & { provider: string };
  seed: number;
  defects: Map<number, PlannedDefect>;
}

export async function openSettlement(
  engine: SandboxEngine,
  request: SettlementRequest,
): Promise<StreamedFile> {
  const plan = await makePlan(engine, request);
  return { mediaType: plan.format.mediaType, pieces: textOf(engine, plan) };
}

/** What is wrong with the file, and the time that makes it the same file when it is asked for later. */
export async function describeSettlement(
  engine: SandboxEngine,
  request: SettlementRequest,
): Promise<SettlementReport> {
  const plan = await makePlan(engine, request);
  const planted: PlantedDefect[] = [];
  let lines = 0;
  for await (const entries of entriesOf(engine, plan, (defect) => planted.push(defect)))
    lines += entries.length;
  return { until: new Date(plan.scope.until).toISOString(), seed: plan.seed, lines, planted };
}

async function makePlan(engine: SandboxEngine, request: SettlementRequest): Promise<Plan> {
  const { now } = await engine.clock.read();
  const apps = await engine.apps.all();
  const app =
    request.appId === undefined
      ? apps.find((candidate) => candidate.is_sandbox === 1)
      : apps.find((candidate) => candidate.app_id === request.appId);
  if (!app) throw new Refusal('not-found', `There is no app ${request.appId ?? 'to write a file for'}.`);
  const provider = app.profiles.find(({ name }) => name.toLowerCase() === request.provider?.toLowerCase());
  if (request.provider !== undefined && !provider) {
    throw invalidField('provider', `must be one of ${app.profiles.map(({ name }) => name).join(', ')}`);
  }
  const scope = {
    appId: app.app_id,
    provider: provider?.name ?? 'all',
    paymentProfileId: provider?.payment_profile_id,
    since: request.since === undefined ? 0 : Date.parse(request.since),
    until: request.until === undefined ? now : Date.parse(request.until),
  };
  const seed = Number(request.seed ?? 1);
  const defects = defectsIn(request.defects ?? '');
  return {
    format: formats[request.format ?? 'csv'],
    scope,
    seed,
    defects: await chooseDefectEntries(engine, scope, { defects, seed }),
  };
}

/** Names separated by commas, one defect each; `all` is one of every kind. */
function defectsIn(text: string): DefectKind[] {
  if (text === '') return [];
  return text.split(',').flatMap((name) => {
    if (name === 'all') return defectNames;
    const kind = defectNames.find((known) => known === name);
    if (!kind) throw invalidField('defects', `must be all, or of ${defectNames.join(', ')}`);
    return kind;
  });
}

async function* textOf(engine: SandboxEngine, plan: Plan): AsyncGenerator<string> {
  yield plan.format.begin(plan.scope);
  for await (const entries of entriesOf(engine, plan, () => {})) yield plan.format.write(entries);
  yield plan.format.end();
}

/** The entries of the file, with the defects in it. */
async function* entriesOf(
  engine: SandboxEngine,
  { format, scope, defects }: Plan,
  tell: (planted: PlantedDefect) => void,
): AsyncGenerator<BookEntry[]> {
  let line = format.firstLine;
  for await (const page of readEntries(engine, scope)) {
    const entries: BookEntry[] = [];
    for (const entry of page) {
      const defect = defects.get(entry.exchangeId);
      if (!defect) {
        entries.push(entry);
        continue;
      }
      const planted = plant(defect.kind, entry, defect.draw);
      const wrong = planted.wrong === null ? undefined : planted.entries[planted.wrong];
      tell({
        kind: defect.kind,
        line: planted.wrong === null ? null : line + entries.length + planted.wrong,
        paymentId: (wrong ?? entry).paymentId,
        referenceId: (defect.kind === 'extra' ? wrong! : entry).reference,
        detail: planted.detail,
      });
      // A file does not know what is booked after it was written.
      const within = (one: BookEntry) => ({ ...one, bookedAt: Math.min(one.bookedAt, scope.until) });
      entries.push(...planted.entries.map(within));
    }
    line += entries.length;
    yield entries;
  }
}
