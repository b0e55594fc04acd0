// Addresses that never leave this machine.

/** A host as URLs write it, IPv6 in brackets. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/** Whether the sandbox sends webhooks to this address. */
export function isWebhookTarget(url: string, allowedHosts: readonly string[]): boolean {
  const { hostname } = new URL(url);
  return isLoopbackHost(hostname) || allowedHosts.includes(hostname);
}

export function isLoopbackUrl(url: string): boolean {
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
