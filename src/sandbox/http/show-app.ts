import type { SandboxApp } from '../control/answers.js';
import type { App } from '../domain/apps.js';

/** An app as the control API and `sandbox start` show it. */
export function showApp(app: App): SandboxApp {
  return {
    appId: app.app_id,
    apiKey: app.api_key,
    friendlyName: app.friendly_name,
    isSandbox: app.is_sandbox === 1,
    isBlocked: app.is_blocked === 1,
    webhookUrl: app.webhook_url,
    fraudPolicyId: app.fraud_policy_id,
    profiles: app.profiles.map((profile) => ({
      paymentProfileId: profile.payment_profile_id,
      name: profile.name,
      methodType: profile.method_type,
      isActive: profile.is_active === 1,
      windowMs: profile.window_ms,
      delayMs: profile.delay_ms,
    })),
    fraudPolicies: app.policies.map((policy) => ({
      fraudPolicyId: policy.fraud_policy_id,
      name: policy.name,
      rule: policy.rule,
      threshold: policy.threshold,
    })),
  };
}
