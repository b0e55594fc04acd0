import { commandText, paydesk } from '../../next-command.js';
import type { Identity } from '../../profiles/identity.js';
import type { ProfileSummary } from '../../profiles/summary.js';
import type { TlsFiles } from '../../profiles/tls-files.js';
import { joinPieces, toned, type Line, type Piece } from '../lines.js';
import type { ListView } from '../rows.js';
import { exactDuration } from '../time.js';

/** Live is what to be careful with. */
function kindPiece(kind: string): Piece {
  return toned(kind === 'live' ? 'bad' : undefined, kind);
}

export const profileList: ListView<ProfileSummary> = {
  empty: `There are no profiles yet. Start with: ${commandText(paydesk('sandbox', 'start'))}`,
  columns: [
    {
      key: 'name',
      value: ({ name }) => name,
      shown: ({ name, isDefault }) => toned(isDefault ? 'strong' : undefined, name),
    },
    {
      key: 'default',
      value: ({ isDefault }) => (isDefault ? 'yes' : 'no'),
      shown: ({ isDefault }) => (isDefault ? 'yes' : ''),
    },
    {
      key: 'kind',
      value: ({ kind }) => kind,
      shown: ({ kind, readOnly }) =>
        toned(kind === 'live' ? 'bad' : undefined, readOnly ? `${kind}, read-only` : kind),
    },
    { key: 'appId', title: 'app id', value: ({ appId }) => appId },
    { key: 'baseUrl', title: 'base url', value: ({ baseUrl }) => baseUrl },
    { key: 'key', value: ({ key }) => key, shown: ({ key }) => key.split(' ', 1)[0] ?? key },
    {
      key: 'quietMs',
      title: 'quiet period',
      value: ({ quietMs }) => String(quietMs),
      number: true,
      shown: ({ quietMs }) => exactDuration(quietMs),
      extra: true,
    },
    {
      key: 'readOnly',
      title: 'read-only',
      value: ({ readOnly }) => (readOnly ? 'yes' : 'no'),
      extra: true,
    },
    { key: 'madeBy', title: 'made by', value: ({ madeBy }) => madeBy ?? '', extra: true },
  ],
};

/** One part of a profile, and where it came from. */
interface Fact {
  part: string;
  value: string;
  from?: string;
}

const part = { key: 'part', value: (fact: Fact) => fact.part };
const value = {
  key: 'value',
  value: (fact: Fact) => fact.value,
  shown: (fact: Fact) => (fact.part === 'kind' ? kindPiece(fact.value) : fact.value),
};

export const profileFacts: ListView<Fact> = { empty: '', columns: [part, value] };

export const identityFacts: ListView<Fact> = {
  empty: '',
  columns: [part, value, { key: 'from', mayCut: () => true, value: (fact: Fact) => fact.from ?? '' }],
};

export function factsOfProfile(profile: ProfileSummary): Fact[] {
  return [
    { part: 'name', value: profile.name },
    { part: 'kind', value: profile.kind },
    { part: 'app id', value: profile.appId },
    { part: 'base url', value: profile.baseUrl },
    { part: 'api key', value: profile.key },
    { part: 'quiet period', value: exactDuration(profile.quietMs) },
    { part: 'read-only', value: profile.readOnly ? 'yes' : 'no' },
    ...fileFacts(profile),
    { part: 'default', value: profile.isDefault ? 'yes' : 'no' },
    {
      part: 'made by',
      value: profile.madeBy === 'sandbox' ? commandText(paydesk('sandbox', 'start')) : 'you',
    },
    ...aliasPairs(profile.aliases).map((pair) => ({ part: 'alias', value: pair })),
  ];
}

export function factsOfIdentity({ profile, sources, ...identity }: Identity): Fact[] {
  return [
    { part: 'profile', value: profile ?? '(none)', from: sources.profile },
    { part: 'kind', value: identity.kind ?? 'unknown', from: sources.kind },
    { part: 'app id', value: identity.appId, from: sources.appId },
    { part: 'base url', value: identity.baseUrl, from: sources.baseUrl },
    { part: 'api key', value: identity.apiKey, from: sources.apiKey },
    { part: 'quiet period', value: exactDuration(identity.quietMs), from: sources.quietPeriod },
    { part: 'read-only', value: identity.readOnly ? 'yes' : 'no', from: sources.readOnly },
    { part: 'proxy', value: identity.proxy ?? 'none', from: sources.proxy },
    ...fileFacts(identity).map((fact) => ({ ...fact, from: sources.baseUrl })),
    ...aliasPairs(identity.aliases).map((pair) => ({ part: 'alias', value: pair, from: sources.aliases })),
  ];
}

function fileFacts({ caFile, clientCert, clientKey }: TlsFiles): Fact[] {
  return [
    ['ca file', caFile],
    ['client certificate', clientCert],
    ['client key', clientKey],
  ].flatMap(([part, value]) => (value === undefined ? [] : [{ part: part!, value }]));
}

export function shadowedNotes({ shadowed }: Identity): Line[] {
  return shadowed.map(({ what, by }) =>
    joinPieces(toned('waiting', 'Not used:'), ` ${what}. It is overridden by ${by}.`),
  );
}

export function addedView(profile: ProfileSummary): Line[] {
  return [
    joinPieces(
      `Added ${profile.name} (`,
      kindPiece(profile.kind),
      `, app ${profile.appId}) at ${profile.baseUrl}`,
    ),
    `The API key is in the ${profile.key === 'keyring' ? 'keyring of this system' : profile.key}.`,
    profile.isDefault
      ? 'It is the default profile.'
      : `Make it the default: ${commandText(paydesk('profiles', 'use', profile.name))}`,
  ];
}

export function setView(profile: ProfileSummary): Line[] {
  const lines = [`${profile.name}: the quiet period is ${exactDuration(profile.quietMs)}.`];
  if (profile.readOnly) lines.push('It is read-only: paydesk changes nothing at the service.');
  if (profile.caFile) lines.push(`It trusts only the certificate authorities in ${profile.caFile}.`);
  if (profile.clientCert) lines.push(`It uses the client certificate ${profile.clientCert}.`);
  return lines;
}

export function usedView(profile: ProfileSummary): Line[] {
  return [
    joinPieces(
      `${profile.name} (`,
      kindPiece(profile.kind),
      `, app ${profile.appId}) is the default profile now.`,
    ),
  ];
}

/** The result of removing a profile. */
export interface RemovedProfile {
  removed: string;
  wasDefault: boolean;
  /** The profile that is the default now. */
  default: string | null;
  /** Where the key still is, when it could not be deleted. */
  keyLeft?: string;
}

export function removedView(result: RemovedProfile): Line[] {
  const lines: Line[] = [
    result.keyLeft === undefined
      ? `Removed ${result.removed} and its API key.`
      : `Removed ${result.removed}.`,
  ];
  if (!result.wasDefault) return lines;
  return [
    ...lines,
    `It was the default, and there is none now. Choose one: ${commandText(paydesk('profiles', 'use', 'NAME'))}`,
  ];
}

export function aliasesView(profile: ProfileSummary): Line[] {
  const pairs = aliasPairs(profile.aliases);
  return pairs.length === 0 ? [`${profile.name} has no aliases.`] : pairs;
}

function aliasPairs(aliases: Record<string, string>): string[] {
  return Object.entries(aliases).map(([theirs, ours]) => `${theirs}=${ours}`);
}
