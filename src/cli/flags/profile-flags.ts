import { resolve } from 'node:path';
import { boolean, custom } from '@oclif/core/flags';
import type { ProfileSettings } from '../../profiles/store.js';
import type { TlsFiles } from '../../profiles/tls-files.js';
import { parseQuietPeriod } from '../../profiles/quiet-period.js';

/** A path that stays right in every folder; an empty one stands for none. */
const fileFlag = custom({ helpValue: 'FILE', parse: async (text) => (text === '' ? '' : resolve(text)) });

/** What can be said of a profile when it is added, and changed later. */
export const profileSettingFlags = {
  'quiet-period': custom<number>({ helpValue: 'DURATION', parse: async (text) => parseQuietPeriod(text) })({
    summary: 'How long your service may take to show what it did (default 10m).',
  }),
  'read-only': boolean({ allowNo: true, summary: 'Refuse every change at the service.' }),
  'ca-file': fileFlag({ summary: 'Trust only the certificate authorities in this PEM file.' }),
  'client-cert': fileFlag({ summary: 'Client certificate for mutual TLS, a PEM file.' }),
  'client-key': fileFlag({ summary: 'Private key of the client certificate, a PEM file.' }),
};

interface ProfileSettingFlags {
  'quiet-period'?: number | undefined;
  'read-only'?: boolean | undefined;
  'ca-file'?: string | undefined;
  'client-cert'?: string | undefined;
  'client-key'?: string | undefined;
}

export function settingsOf(flags: ProfileSettingFlags): ProfileSettings {
  return {
    quietMs: flags['quiet-period'],
    readOnly: flags['read-only'],
    caFile: flags['ca-file'],
    clientCert: flags['client-cert'],
    clientKey: flags['client-key'],
  };
}

/** The files that a profile will have, where some are given and others are kept. */
export function tlsFilesOf(flags: ProfileSettingFlags, kept: TlsFiles = {}): TlsFiles {
  const { caFile, clientCert, clientKey } = settingsOf(flags);
  const given = Object.entries({ caFile, clientCert, clientKey }).filter(([, path]) => path !== undefined);
  const all = Object.entries({ ...kept, ...Object.fromEntries(given) });
  return Object.fromEntries(all.filter(([, path]) => path !== ''));
}
