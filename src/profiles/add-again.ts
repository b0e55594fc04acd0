// The commands that give a profile another key, or another kind, and keep everything else that was set.

import { type Command, paydesk } from '../next-command.js';
import type { Kind } from './config-file.js';
import { DEFAULT_QUIET_MS } from './quiet-period.js';
import type { TlsFiles } from './tls-files.js';

interface StoredSettings {
  name: string;
  baseUrl: string;
  appId: string;
  kind: Kind;
  aliases: Readonly<Record<string, string>>;
  quietMs: number;
  readOnly: boolean;
  tls: TlsFiles;
}

/** In this order: a name that is taken cannot be added. */
export function addAgain(profile: StoredSettings): Command[] {
  const { name, baseUrl, appId, kind, quietMs, readOnly, tls } = profile;
  const flags = {
    '--quiet-period': quietMs === DEFAULT_QUIET_MS ? undefined : durationText(quietMs),
    '--ca-file': tls.caFile,
    '--client-cert': tls.clientCert,
    '--client-key': tls.clientKey,
  };
  const settings = [
    ...(readOnly ? ['--read-only'] : []),
    ...Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ];
  const aliases = Object.entries(profile.aliases).map(([theirs, ours]) => `${theirs}=${ours}`);
  return [
    paydesk('profiles', 'remove', name),
    paydesk('profiles', 'add', name, '--base-url', baseUrl, '--app-id', appId, `--${kind}`, ...settings),
    ...(aliases.length === 0 ? [] : [paydesk('profiles', 'alias', name, ...aliases)]),
  ];
}

/** `10m`, `90s`, `1500ms`, as a flag takes it. */
function durationText(ms: number): string {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
