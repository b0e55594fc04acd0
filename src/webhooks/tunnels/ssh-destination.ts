// What `--tunnel ssh…` says: `ssh`, `ssh:[user@]host[:port]` or `ssh://…`, and after a `?` port, url, name and preset.

import { paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';
import { didYouMean } from '../../suggest.js';
import { parseOrigin } from './origin.js';
import { isPresetName, type PresetName, presetNames, presetOf } from './ssh-presets.js';

/** The name in the user's own ssh configuration that `--tunnel ssh` alone stands for. */
export const CONFIGURED_HOST = 'paydesk-tunnel';

export interface SshDestination {
  user?: string | undefined;
  host: string;
  port?: number | undefined;
  preset?: PresetName | undefined;
  /** The port on the server; 0 lets the server choose. */
  remotePort: number;
  /** Where the server makes that port public, when it is not the port itself. */
  publicUrl?: URL | undefined;
  /** The name or domain to ask a preset for. */
  name?: string | undefined;
}

const refuse = (problem: string): never => {
  throw new UsageError(`Invalid value of --tunnel: ${problem}`, {
    code: 'usage',
    next: [paydesk('webhook', 'listen', '--tunnel', 'ssh:USER@HOST')],
  });
};

// Nothing that starts with a dash can pass: ssh would take it for an option.
const word = /^[A-Za-z0-9_][A-Za-z0-9._+=-]*$/;
const ipv6 = /^\[[0-9A-Fa-f:.]+(%[A-Za-z0-9]+)?\]$/;

function portNumber(text: string, lowest: number): number {
  const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  return value >= lowest && value <= 65_535 ? value : refuse(`${text} is not a port.`);
}

const settings = ['port', 'url', 'name', 'preset'] as const;
type Setting = (typeof settings)[number];

function readSettings(query: string): Partial<Record<Setting, string>> {
  const found: Partial<Record<Setting, string>> = {};
  for (const [key, value] of new URLSearchParams(query)) {
    if (!(settings as readonly string[]).includes(key)) {
      refuse(`${key} is not a setting of an ssh tunnel.${didYouMean(key, settings)}`);
    }
    if (value === '') refuse(`${key} has no value.`);
    found[key as Setting] = value;
  }
  return found;
}

export function parseSshDestination(text: string): SshDestination {
  const [place = '', query = ''] = text.replace(/^ssh(:(\/\/)?)?/, '').split(/\?(.*)/s);
  const { user, host, port } = readPlace(place === '' ? CONFIGURED_HOST : place);
  const given = readSettings(query);
  const wanted = given.preset ?? presetOf(host);
  if (wanted !== undefined && !isPresetName(wanted)) {
    return refuse(
      `${wanted} is not a preset.${didYouMean(wanted, presetNames) || ` Presets: ${presetNames.join(', ')}.`}`,
    );
  }
  const publicUrl = given.url === undefined ? undefined : parseOrigin(given.url);
  if (wanted !== undefined && (given.url !== undefined || given.port !== undefined)) {
    refuse(`${wanted} chooses the address itself. Use port and url only with your own server.`);
  }
  if (wanted === undefined && given.name !== undefined) refuse('name can only be used with a preset.');
  if (publicUrl !== undefined && given.port === undefined) {
    refuse('with url, also set the port on the server, for example port=8080.');
  }
  if (given.name !== undefined && !word.test(given.name)) refuse(`${given.name} is not a valid name.`);
  return {
    user,
    host,
    port,
    preset: wanted,
    remotePort: given.port === undefined ? 0 : portNumber(given.port, 1),
    publicUrl,
    name: given.name,
  };
}

function readPlace(place: string): { user?: string; host: string; port?: number } {
  const at = place.lastIndexOf('@');
  const user = at < 0 ? undefined : place.slice(0, at);
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(place.slice(at + 1)) ?? [];
  if (user !== undefined && !word.test(user)) refuse(`${JSON.stringify(user)} is not a valid user name.`);
  if (!word.test(host) && !ipv6.test(host)) refuse(`${JSON.stringify(host)} is not a valid host name.`);
  return {
    host: host.replace(/\/$/, ''),
    ...(user === undefined ? {} : { user }),
    ...(port === undefined ? {} : { port: portNumber(port.replace(/\/$/, ''), 1) }),
  };
}
