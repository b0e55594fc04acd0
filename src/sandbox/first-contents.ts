import type { Control } from './control/control.js';
import { Refusal } from './domain/refusal.js';
import type { SandboxEngine } from './engine.js';

/** What a sandbox begins with. */
export interface FirstContents {
  /** An export of a sandbox. Only a database that is not in use takes it. */
  contents?: string | undefined;
  /** Where the clock stands, stopped. It is never turned back. */
  clock?: number | undefined;
}

export async function beginWith(
  engine: SandboxEngine,
  control: Control,
  { contents, clock }: FirstContents,
): Promise<void> {
  if (contents !== undefined) {
    await requireUnused(engine);
    await control.import(contents);
  }
  if (clock !== undefined) {
    await control.clock({ action: 'stop' });
    await control.clock({ action: 'set', value: clock });
  }
}

async function requireUnused({ store }: SandboxEngine): Promise<void> {
  for (const table of ['payments', 'customers'] as const) {
    const first = await store.db.selectFrom(table).select('app_id').limit(1).executeTakeFirst();
    if (first) throw new Refusal('operation-not-allowed', `The database already contains ${table}.`);
  }
}
