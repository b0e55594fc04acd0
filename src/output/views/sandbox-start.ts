import { commandText, paydesk } from '../../next-command.js';
import type { SandboxProfiles } from '../../profiles/sandbox-profiles.js';
import type { RequestLine } from '../../sandbox/index.js';
import type { StartedSandbox } from '../../sandbox-control/foreground.js';
import { portOf } from '../../sandbox-control/run.js';
import { cardLines, type Field } from '../card.js';
import { commandPiece, joinPieces, toned, type Line, type View } from '../lines.js';
import { pad } from '../text.js';
import type { Tone } from '../theme.js';
import { localTime, tookTime } from '../time.js';

export interface Started {
  sandbox: StartedSandbox;
  /** Absent with --no-profiles. */
  profiles?: SandboxProfiles;
  /** Where a sandbox in the background writes. */
  logFile?: string;
}

/** What `--json` prints once requests are accepted. */
export function startedJson({ sandbox }: Started): object {
  const { url, consoleUrl, controlToken, apps } = sandbox;
  return {
    url,
    consoleUrl,
    controlToken,
    apps: apps.map(({ appId, apiKey, friendlyName, isSandbox }) => ({
      appId,
      apiKey,
      friendlyName,
      isSandbox,
    })),
  };
}

export const startedView: View<Started> = (started, context) => {
  const { sandbox, profiles, logFile } = started;
  const stored = profiles?.stored.map((name) => (name === profiles.defaultName ? `${name} (default)` : name));
  const fields: Field[] = [
    { label: 'Console', value: context.terminal ? '' : sandbox.consoleUrl },
    { label: 'Database', value: sandbox.database === ':memory:' ? 'in memory' : sandbox.database },
    ...sandbox.apps.flatMap((app, index): Field[] => [
      { label: index === 0 || !context.terminal ? 'Apps' : '', value: `${app.appId}  ${app.friendlyName}` },
      // Where a profile holds the key, nobody has to see it.
      ...(profiles ? [] : [{ label: context.terminal ? '' : 'Key', value: app.apiKey }]),
    ]),
    { label: 'Profiles', value: stored?.join(', ') ?? '' },
    { label: 'Log', value: logFile ?? '' },
  ];
  const card = cardLines(
    { kind: 'Sandbox', id: sandbox.url, state: toned('good', 'ready'), fields },
    context,
  );
  return context.terminal ? [...card, '', ...hints(started), ''] : card;
};

function hints({ sandbox, profiles, logFile }: Started): Line[] {
  const hasProfile = profiles?.stored.includes('local') === true;
  const isDefault = hasProfile && profiles?.defaultName === 'local';
  // Without it, these commands may act on another sandbox, also one that is started later.
  const port = ['--port', portOf(sandbox)];
  // As text, since the profile of the sandbox is meant, whatever was chosen with --profile.
  const create = commandText(paydesk('payments', 'create'), isDefault ? undefined : 'local');
  const pay = commandPiece(paydesk('sandbox', 'pay', 'REFERENCE', '--card', 'approved', ...port));
  return [
    // Not wrapped: a link that is broken in two cannot be followed.
    hint('See:', sandbox.consoleUrl),
    ...(hasProfile ? [hint('Try:', commandPiece({ text: create })), hint('', pay)] : [hint('Pay:', pay)]),
    hint('Stop:', logFile === undefined ? 'Ctrl-C' : commandPiece(paydesk('sandbox', 'stop', ...port))),
  ];
}

const HINT = 7;

/** What to type or open next. */
export const hint = (label: string, value: Line): Line =>
  joinPieces('  ', toned('dim', pad(label, HINT)), value);

/** Profiles that somebody else made and that were therefore left alone. */
export function skippedNotes({ profiles }: Started): Line[] {
  return (profiles?.skipped ?? []).map(({ why }) =>
    joinPieces(toned('waiting', 'Not changed:'), ` ${why}. Remove it to let the sandbox use this name.`),
  );
}

/** Profiles that were taken from other sandboxes, one note for each that is still running. */
export function movedNotes(moved: SandboxProfiles['moved'], running: ReadonlyArray<{ url: string }>): Line[] {
  return running.flatMap(({ url }) => {
    const names = moved.filter(({ from }) => from === url).map(({ name }) => name);
    if (names.length === 0) return [];
    const one = names.length === 1;
    const text =
      ` the ${one ? 'profile' : 'profiles'} ${names.join(' and ')} pointed to the sandbox at ${url}, ` +
      `which is still running. ${one ? 'It points' : 'They point'} to this one now.`;
    return [joinPieces(toned('waiting', 'Note:'), text)];
  });
}

/** Keys that a seed decides are not secret. */
export const seedNotes = (): Line[] => [
  joinPieces(
    toned('waiting', 'Warning:'),
    ' --seed makes API keys and links predictable. Any program on this machine can guess them: use it for tests only.',
  ),
];

/** What --allow-remote means. */
export const remoteNotes = (): Line[] => [
  joinPieces(
    toned('waiting', 'Warning:'),
    ' every machine that can reach this one can use the sandbox, without encryption. Anyone with an API key, the ' +
      'control token or a link gets in, and can read them on the network. Use it in a container or a network that you trust.',
  ),
];

/** Everybody on this machine can read the arguments of a process. */
export const passwordNotes = (): Line[] => [
  joinPieces(
    toned('waiting', 'Warning:'),
    ' other users of this machine can see the password in --database. Set PAYDESK_SANDBOX_DATABASE instead.',
  ),
];

const METHOD = 6;
const DURATION_WIDTH = 7;

function toneOf(status: number): Tone {
  if (status === 0 || status >= 500) return 'bad';
  return status >= 400 ? 'waiting' : 'good';
}

/** Commands, a console and health checks that only look at the sandbox are not worth a line. */
export const isLogged = ({ method, path }: RequestLine): boolean =>
  method !== 'GET' || !/^\/(_sandbox|console|healthz)\b/.test(path);

/** One request: when, what was answered and how fast, and what was asked for. */
export function requestLine({ method, path, status, ms, note }: RequestLine, at: Date): Line {
  return joinPieces(
    toned('dim', localTime(at).slice(-8)),
    '  ',
    toned(toneOf(status), status === 0 ? 'cut' : String(status)),
    '  ',
    pad(method, METHOD),
    ' ',
    toned('dim', pad(tookTime(ms), DURATION_WIDTH, 'right')),
    '  ',
    path,
    ...(note === undefined ? [] : ['  ', toned('dim', note)]),
  );
}

/** A webhook that will never be sent. */
export const notSentLine = (text: string, at: Date): Line =>
  joinPieces(toned('dim', localTime(at).slice(-8)), '  ', toned('waiting', 'note'), `  ${text}`);

/** Something went wrong behind the requests, and the sandbox continues. */
export function errorLine(error: unknown, at: Date): Line {
  const text = error instanceof Error ? error.message : String(error);
  return joinPieces(toned('dim', localTime(at).slice(-8)), '  ', toned('bad', 'error'), `  ${text}`);
}
