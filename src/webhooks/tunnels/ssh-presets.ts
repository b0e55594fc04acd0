// Public services that are reached with nothing but ssh, by their documentation.

interface SshPreset {
  /** What it is called after `ssh:`; the first is where it is. */
  hosts: readonly string[];
  /** Every host below it belongs to the service too. */
  domain?: string;
  connectTo?: string;
  port?: number;
  /** Where no user is given. */
  user?: string;
  /** Whether the user name is a token that must not be shown. */
  secretUser: boolean;
  /** For `-R`. */
  forward(localPort: number, name: string | undefined): string;
  /** The public origin, when this line tells it. */
  readUrl(line: string): string | undefined;
}

const named = (localPort: number, name: string | undefined) =>
  `${name === undefined ? '' : `${name}:`}80:127.0.0.1:${localPort}`;

export const presetNames = ['localhost.run', 'pinggy', 'sish'] as const;

export type PresetName = (typeof presetNames)[number];

export const presets: Readonly<Record<PresetName, SshPreset>> = {
  'localhost.run': {
    hosts: ['localhost.run'],
    // Without a key of your own it gives an address that changes after some hours.
    user: 'nokey',
    secretUser: false,
    forward: named,
    readUrl: (line) => /tunneled with tls termination, (https:\/\/[A-Za-z0-9.-]+)/.exec(line)?.[1],
  },
  pinggy: {
    hosts: ['pinggy', 'a.pinggy.io', 'free.pinggy.io', 'pro.pinggy.io'],
    domain: 'pinggy.io',
    connectTo: 'a.pinggy.io',
    port: 443,
    secretUser: true,
    forward: (localPort) => `0:127.0.0.1:${localPort}`,
    // Alone on its line; the links in its notices are not.
    readUrl: (line) => /^\s*(https:\/\/[A-Za-z0-9.-]+)\s*$/.exec(line)?.[1],
  },
  sish: {
    hosts: ['tuns.sh'],
    secretUser: false,
    forward: named,
    // `HTTP:` comes first; `HTTPS:`, where there is one, right after it.
    readUrl: (line) => /\bHTTPS?: (https?:\/\/[A-Za-z0-9.:-]+)/.exec(line)?.[1],
  },
};

/** The service that a host belongs to. */
export const presetOf = (host: string): PresetName | undefined =>
  presetNames.find((name) => {
    const { hosts, domain } = presets[name];
    return hosts.includes(host) || (domain !== undefined && host.endsWith(`.${domain}`));
  });

export const isPresetName = (text: string): text is PresetName => Object.hasOwn(presets, text);
