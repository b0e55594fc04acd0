import type { SandboxApp } from './control/answers.js';

/** Environment for a program that is to use a sandbox and one of its apps, and may control it. */
export function environmentFor(
  { url, controlToken }: { url: string; controlToken: string },
  { appId, apiKey }: Pick<SandboxApp, 'appId' | 'apiKey'>,
): Record<string, string> {
  return {
    PAYDESK_BASE_URL: url,
    PAYDESK_APP_ID: appId,
    PAYDESK_API_KEY: apiKey,
    PAYDESK_KIND: 'sandbox',
    PAYDESK_SANDBOX_URL: url,
    PAYDESK_SANDBOX_TOKEN: controlToken,
  };
}
