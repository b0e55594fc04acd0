import type { Insertable } from 'kysely';
import type { SandboxTables } from '../schema.js';
import type { Work } from './work.js';
import { DAY_MS } from '../../day.js';

/** The provider profiles that a new app has. */
const profiles: ReadonlyArray<Omit<Insertable<SandboxTables['provider_profiles']>, 'app_id'>> = [
  { name: 'Northbank', method_type: 'CreditCard', is_active: 1, window_ms: 7 * DAY_MS, delay_ms: 0 },
  { name: 'Checkline', method_type: 'ElectronicCheck', is_active: 1, window_ms: 7 * DAY_MS, delay_ms: 0 },
  { name: 'Coinbridge', method_type: 'Crypto', is_active: 1, window_ms: 7 * DAY_MS, delay_ms: 0 },
  { name: 'Paypal', method_type: 'Paypal', is_active: 1, window_ms: 7 * DAY_MS, delay_ms: 0 },
  { name: 'Slowbank', method_type: 'CreditCard', is_active: 1, window_ms: 3 * DAY_MS, delay_ms: 60_000 },
  { name: 'Oldbank', method_type: 'CreditCard', is_active: 0, window_ms: 7 * DAY_MS, delay_ms: 0 },
];

const policies: ReadonlyArray<Omit<Insertable<SandboxTables['fraud_policies']>, 'app_id'>> = [
  { name: 'Allow all', rule: 'allow', threshold: null },
  { name: 'Hold above 100', rule: 'hold-above', threshold: '100.00' },
  { name: 'Hold all', rule: 'hold', threshold: null },
  { name: 'Block all', rule: 'block', threshold: null },
];

/** What an empty sandbox begins with: an app to play with, and one that poses as live. */
const FIRST_APPS = [
  { friendlyName: 'Sandbox shop', isSandbox: true },
  { friendlyName: 'Practice shop (poses as live)', isSandbox: false },
];

export async function createApp(
  work: Work,
  { friendlyName, isSandbox }: { friendlyName: string; isSandbox: boolean },
): Promise<string> {
  await lockApps(work);
  const { count } = await work.tx
    .selectFrom('apps')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  // A reset keeps the first apps and their keys. Whatever was added before it must not come back under the same ones.
  const added = count < FIRST_APPS.length ? '' : 'added-';
  const appId = `app_${work.derive(`${added}app`, count).slice(0, 12)}`;
  await work.tx
    .insertInto('apps')
    .values({
      app_id: appId,
      api_key: `${isSandbox ? 'sk_sandbox' : 'sk_live'}_${work.derive(`${added}api-key`, count).slice(0, 40)}`,
      friendly_name: friendlyName,
      is_sandbox: Number(isSandbox),
      is_blocked: 0,
      webhook_url: null,
      fraud_policy_id: null,
      // Apps are listed in the order of their creation.
      created_time: work.now + count,
    })
    .execute();
  for (const profile of profiles) {
    await work.tx
      .insertInto('provider_profiles')
      .values({ ...profile, app_id: appId })
      .execute();
  }
  for (const policy of policies) {
    await work.tx
      .insertInto('fraud_policies')
      .values({ ...policy, app_id: appId })
      .execute();
  }
  return appId;
}

/** The ids of apps are derived from their number, so only one process at a time may add any. */
async function lockApps(work: Work): Promise<void> {
  const row = work.tx.selectFrom('settings').select('key').where('key', '=', 'secret');
  await work.store.forUpdate(row).execute();
}

export async function createFirstApps(work: Work): Promise<void> {
  await lockApps(work);
  if (await work.tx.selectFrom('apps').select('app_id').executeTakeFirst()) return;
  for (const app of FIRST_APPS) await createApp(work, app);
}
