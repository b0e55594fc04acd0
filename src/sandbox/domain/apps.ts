import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.js';
import { invalidField } from './refusal.js';
import type { AppRow, FraudPolicyRow, ProviderProfileRow, SandboxTables } from '../schema.js';

export interface App extends AppRow {
  profiles: ProviderProfileRow[];
  policies: FraudPolicyRow[];
}

/** The apps with their provider profiles and fraud policies. */
export interface AppDirectory {
  all(tx?: Kysely<SandboxTables>): Promise<App[]>;
  byId(appId: string, tx?: Kysely<SandboxTables>): Promise<App | undefined>;
  byKey(apiKey: string): Promise<App | undefined>;
  /** To be called after a commit that changed any of it. */
  changed(): void;
}

/** Kept in memory where no other process can change them; read each time on a shared database. */
export function createAppDirectory(store: Store<SandboxTables>): AppDirectory {
  let kept: App[] | undefined;

  async function all(db: Kysely<SandboxTables> = store.db): Promise<App[]> {
    if (kept) return kept;
    const apps = await db.selectFrom('apps').selectAll().orderBy('created_time').orderBy('app_id').execute();
    const profiles = await db
      .selectFrom('provider_profiles')
      .selectAll()
      .orderBy('payment_profile_id')
      .execute();
    const policies = await db.selectFrom('fraud_policies').selectAll().orderBy('fraud_policy_id').execute();
    const loaded = apps.map((app) => ({
      ...app,
      profiles: profiles.filter((profile) => profile.app_id === app.app_id),
      policies: policies.filter((policy) => policy.app_id === app.app_id),
    }));
    // Inside a transaction the rows may not be committed yet.
    if (!store.shared && db === store.db) kept = loaded;
    return loaded;
  }

  return {
    all,
    byId: async (appId, tx) => (await all(tx)).find((app) => app.app_id === appId),
    byKey: async (apiKey) => (kept ?? (await all())).find((app) => app.api_key === apiKey),
    changed: () => {
      kept = undefined;
    },
  };
}

export function checkPolicy(app: App, id: number | undefined): void {
  const problem = id === undefined ? undefined : policyProblem(app, id);
  if (problem !== undefined) throw invalidField('fraudPolicyId', problem);
}

export function policyProblem(app: App, id: number): string | undefined {
  const isKnown = app.policies.some((policy) => policy.fraud_policy_id === id);
  return isKnown ? undefined : `is not a fraud policy of this app: ${id}`;
}

export function profileProblem(app: App, id: number): string | undefined {
  const profile = app.profiles.find((candidate) => candidate.payment_profile_id === id);
  if (!profile) return `is not a provider profile of this app: ${id}`;
  return profile.is_active === 1 ? undefined : `is a provider profile that is not active: ${id}`;
}
