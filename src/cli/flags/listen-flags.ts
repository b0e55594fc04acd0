// Flags of whatever listens for webhooks or passes them on.

import { boolean, custom, option, string } from '@oclif/core/flags';
import type { Client } from '../../client/client.js';
import type { NamedPayment } from '../../payments/named-payments.js';
import { parsePayment } from '../../payments/named-payments.js';
import { targetState } from '../../payments/follow-payment.js';
import { BadValue, parseCount } from '../../typed-values.js';
import { chaosKinds, type ChaosKind } from '../../webhooks/forwarding/chaos.js';
import {
  type Filter,
  type Header,
  parseHeader,
  parseTarget,
  type Target,
} from '../../webhooks/forwarding/targets.js';
import { parsePort } from './sandbox-flags.js';

/** The usual port: one that stays the same lets payments keep their address. */
const LISTEN_PORT = 4020;

/** A port that was asked for must be that one; the usual one may be replaced. */
export function listenPort(flag: number | undefined): { port: number; orAnother: boolean } {
  return { port: flag ?? LISTEN_PORT, orAnother: flag === undefined };
}

export const targetFlag = custom<Target>({ helpValue: 'URL', parse: async (text) => parseTarget(text) });

/** How requests to targets are made. */
export const sendFlags = {
  header: custom<Header>({ parse: async (text) => parseHeader(text) })({
    helpValue: 'NAME:VALUE',
    multiple: true,
    summary: 'Header to add to forwarded webhooks.',
  }),
  'skip-verify': boolean({ summary: 'Do not verify the TLS certificate of targets.' }),
};

const needing = <F extends object>(flag: F, ...dependsOn: string[]): F => ({ ...flag, dependsOn });

/** Where webhooks come from and go to. */
export const listenFlags = {
  'forward-to': targetFlag({
    multiple: true,
    summary: 'Forward webhooks to this address. Settings: paydesk webhook listen --help',
  }),
  tunnel: string({
    helpValue: 'auto|none|ssh|ssh:USER@HOST|cloudflared|ngrok|URL',
    summary: 'How the service reaches this machine (default: auto).',
  }),
  port: custom<number>({ parse: async (text) => parsePort(text) })({
    helpValue: 'N',
    summary: `Local port (default ${LISTEN_PORT}, or a free one if it is in use); 0 picks a free one.`,
  }),
  header: needing(sendFlags.header, 'forward-to'),
  'skip-verify': needing(sendFlags['skip-verify'], 'forward-to'),
};

/** How create follows its payment. */
export const followFlags = {
  wait: boolean({ summary: 'Wait until it is paid, or until --timeout (default 5m).' }),
  until: string({
    helpValue: 'STATE',
    summary: 'State to wait for with --wait or --listen (default: paid).',
  }),
  listen: boolean({
    exclusive: ['webhook-url', 'wait', 'dry-run'],
    summary: 'Receive its webhooks until it is paid, or until --timeout (default 5m).',
  }),
  'forward-to': needing(listenFlags['forward-to'], 'listen'),
  tunnel: needing(listenFlags.tunnel, 'listen'),
  port: needing(listenFlags.port, 'listen'),
  header: needing(sendFlags.header, 'listen', 'forward-to'),
  'skip-verify': needing(sendFlags['skip-verify'], 'listen', 'forward-to'),
};

/** Which webhooks matter. */
export const filterFlags = {
  state: string({ helpValue: 'STATE', multiple: true, summary: 'Only webhooks of payments in this state.' }),
  payment: custom<NamedPayment>({ parse: async (text) => parsePayment(text) })({
    helpValue: 'PAYMENT',
    multiple: true,
    summary: 'Only webhooks of this payment.',
  }),
};

function parseChaos(text: string): ChaosKind[] {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !chaosKinds.includes(name as ChaosKind));
  if (unknown !== undefined) throw new BadValue(`some of ${chaosKinds.join(',')}`);
  return names as ChaosKind[];
}

export const chaosFlags = {
  chaos: custom<ChaosKind[]>({ parse: async (text) => parseChaos(text) })({
    helpValue: chaosKinds.join(','),
    dependsOn: ['forward-to'],
    summary: 'Test your handler: each kind disturbs one in four forwards.',
  }),
  'chaos-seed': custom<number>({ parse: async (text) => parseCount(text, 0) })({
    helpValue: 'N',
    dependsOn: ['chaos'],
    summary: 'Make --chaos repeatable (default: random, and shown).',
  }),
};

export const ackFlag = option({ options: ['immediate', 'forwarded'] as const })({
  default: 'immediate' as const,
  summary: 'Answer the service when a webhook is saved, or when every target accepted it.',
});

export const countFromZeroFlag = custom<number>({
  helpValue: 'N',
  parse: async (text) => parseCount(text, 0),
});

export function filterOf(
  client: Client,
  flags: { state?: string[] | undefined; payment?: NamedPayment[] | undefined },
): Filter {
  return {
    states: (flags.state ?? []).map((state) => targetState(client, state)),
    payments: flags.payment ?? [],
    paths: [],
  };
}

interface SendFlags {
  header?: Header[] | undefined;
  'skip-verify'?: boolean | undefined;
}

/** A target with what holds for all of them; its own settings go first. */
export function withSendFlags(target: Target, flags: SendFlags): Target {
  const own = target.headers.map(({ name }) => name.toLowerCase());
  const common = (flags.header ?? []).filter(({ name }) => !own.includes(name.toLowerCase()));
  return {
    ...target,
    headers: [...common, ...target.headers],
    skipVerify: target.skipVerify || flags['skip-verify'] === true,
  };
}

export function targetsOf(
  client: Client,
  flags: SendFlags & { 'forward-to'?: Target[] | undefined },
): Target[] {
  return (flags['forward-to'] ?? []).map((target) => {
    const states = target.filter.states.map((state) => targetState(client, state));
    return withSendFlags({ ...target, filter: { ...target.filter, states } }, flags);
  });
}
