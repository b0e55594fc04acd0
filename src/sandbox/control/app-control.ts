import type * as z from 'zod/mini';
import { checkPolicy, type App } from '../domain/apps.js';
import { createApp } from '../domain/defaults.js';
import { invalidField, Refusal } from '../domain/refusal.js';
import type { Work } from '../domain/work.js';
import type { SandboxEngine } from '../engine.js';
import type { appBody, appPatch } from './requests.js';

export interface AppControl {
  createApp(app: z.infer<typeof appBody>): Promise<App>;
  changeApp(appId: string, patch: z.infer<typeof appPatch>): Promise<App>;
}

export function createAppControl(
  engine: SandboxEngine,
  settled: <T>(run: (work: Work) => Promise<T>) => Promise<T>,
): AppControl {
  return {
    async createApp(app) {
      const appId = await settled((work) => createApp(work, app));
      return requireApp(engine, appId);
    },

    async changeApp(appId, patch) {
      const app = await requireApp(engine, appId);
      if (patch.fraudPolicyId) checkPolicy(app, patch.fraudPolicyId);
      await settled(async ({ tx }) => {
        await tx
          .updateTable('apps')
          .set({
            webhook_url: patch.webhookUrl === undefined ? app.webhook_url : patch.webhookUrl,
            is_blocked: patch.isBlocked === undefined ? app.is_blocked : Number(patch.isBlocked),
            fraud_policy_id: patch.fraudPolicyId === undefined ? app.fraud_policy_id : patch.fraudPolicyId,
          })
          .where('app_id', '=', appId)
          .execute();
        if (patch.policy) {
          const { threshold = null, ...policy } = patch.policy;
          await tx
            .insertInto('fraud_policies')
            .values({ ...policy, threshold, app_id: appId })
            .execute();
        }
        if (patch.profile) await changeProfile(tx, app, patch.profile);
      });
      return requireApp(engine, appId);
    },
  };
}

async function changeProfile(
  tx: Work['tx'],
  app: App,
  change: NonNullable<z.infer<typeof appPatch>['profile']>,
): Promise<void> {
  const profile = app.profiles.find((candidate) => candidate.payment_profile_id === change.paymentProfileId);
  if (!profile) throw invalidField('profile.paymentProfileId', 'is not a provider profile of this app');
  await tx
    .updateTable('provider_profiles')
    .set({
      is_active: change.isActive === undefined ? profile.is_active : Number(change.isActive),
      window_ms: change.windowMs ?? profile.window_ms,
      delay_ms: change.delayMs ?? profile.delay_ms,
    })
    .where('payment_profile_id', '=', profile.payment_profile_id)
    .execute();
}

async function requireApp(engine: SandboxEngine, appId: string): Promise<App> {
  const app = await engine.apps.byId(appId);
  if (!app) throw new Refusal('not-found', `There is no app ${appId}.`);
  return app;
}
