import { paydesk } from '../../next-command.js';
import { isWebhookTarget } from '../../loopback.js';
import type { SandboxApp } from '../../sandbox/index.js';
import { cardLines, type Field } from '../card.js';
import {
  commandPiece,
  joinPieces,
  toned,
  type Line,
  type ViewContext,
  type Piece,
  type View,
} from '../lines.js';
import type { ListView } from '../rows.js';
import { displayWidth, pad } from '../text.js';
import { roughDuration, tookTime } from '../time.js';

const kindOf = ({ isSandbox }: SandboxApp): string => (isSandbox ? 'sandbox' : 'live');

const kindPiece = (app: SandboxApp): Piece => toned(app.isSandbox ? undefined : 'bad', kindOf(app));

const profileText = ({ paymentProfileId, name, methodType }: SandboxApp['profiles'][number]): string =>
  `${paymentProfileId} ${name} ${methodType}`;

const policyText = ({ fraudPolicyId, name }: SandboxApp['fraudPolicies'][number]): string =>
  `${fraudPolicyId} ${name}`;

export const appList: ListView<SandboxApp> = {
  empty: 'The sandbox has no apps.',
  columns: [
    { key: 'app', value: ({ appId }) => appId },
    { key: 'name', value: ({ friendlyName }) => friendlyName },
    { key: 'kind', value: kindOf, shown: kindPiece },
    {
      key: 'blocked',
      value: ({ isBlocked }) => (isBlocked ? 'yes' : 'no'),
      shown: ({ isBlocked }) => (isBlocked ? toned('bad', 'yes') : 'no'),
    },
    { key: 'webhook', value: ({ webhookUrl }) => webhookUrl ?? '' },
    {
      key: 'fraud-policy',
      title: 'fraud policy',
      value: ({ fraudPolicyId }) => String(fraudPolicyId ?? ''),
    },
    { key: 'profiles', extra: 'terminal', value: ({ profiles }) => profiles.map(profileText).join('; ') },
    {
      key: 'policies',
      extra: 'terminal',
      value: ({ fraudPolicies }) => fraudPolicies.map(policyText).join('; '),
    },
    { key: 'key', extra: true, value: ({ apiKey }) => apiKey },
  ],
};

/** The number of something, lined up on a terminal. */
const numberText = (id: number, context: ViewContext): string =>
  context.terminal ? `${String(id).padStart(3)}  ` : `${id} `;

function profileLine(profile: SandboxApp['profiles'][number], width: number, context: ViewContext): Line {
  const { paymentProfileId, name, methodType, isActive, windowMs, delayMs } = profile;
  const facts = [
    methodType,
    `window ${roughDuration(windowMs)}`,
    ...(delayMs > 0 ? [`answers after ${delayMs < 1_000 ? tookTime(delayMs) : roughDuration(delayMs)}`] : []),
  ].join(', ');
  return joinPieces(
    numberText(paymentProfileId, context),
    context.terminal ? `${pad(name, width)}  ` : `${name} `,
    isActive ? facts : toned('dim', 'not active'),
  );
}

function policyLine(
  policy: SandboxApp['fraudPolicies'][number],
  chosen: number | null,
  context: ViewContext,
): Line {
  const isChosen = policy.fraudPolicyId === chosen;
  return joinPieces(
    `${numberText(policy.fraudPolicyId, context)}${policy.name}`,
    ...(isChosen ? [toned('dim', `${context.terminal ? '  ' : ' '}(of this app)`)] : []),
  );
}

/** Says so where the sandbox will not send webhooks to this address. */
export function webhookNotes(url: string, allowedHosts: readonly string[]): Line[] {
  if (isWebhookTarget(url, allowedHosts)) return [];
  const { hostname } = new URL(url);
  return [
    joinPieces(
      toned('waiting', 'Warning:'),
      ` the sandbox does not send webhooks to ${hostname}, only to this machine. To allow it, start the sandbox with ` +
        `--webhook-host ${hostname}.`,
    ),
  ];
}

const section = (label: string, lines: Line[], context: ViewContext): Field[] =>
  lines.map((value, index) => ({ label: index === 0 || !context.terminal ? label : '', value }));

function appLines(app: SandboxApp, context: ViewContext, extra: Field[] = []): Line[] {
  const width = Math.max(...app.profiles.map(({ name }) => displayWidth(name)));
  const head = {
    reference: app.friendlyName,
    state: app.isBlocked ? toned('bad', `${kindOf(app)}, blocked`) : kindPiece(app),
  };
  // In a pipe under the names of the columns that `sandbox apps list` has.
  const named: Field[] = [
    { label: 'Name', value: app.friendlyName },
    { label: 'Kind', value: kindOf(app) },
    { label: 'Blocked', value: app.isBlocked ? 'yes' : 'no' },
  ];
  const profiles = app.profiles.map((profile) => profileLine(profile, width, context));
  const policies = app.fraudPolicies.map((policy) => policyLine(policy, app.fraudPolicyId, context));
  return cardLines(
    {
      kind: 'App',
      id: app.appId,
      ...(context.terminal && head),
      fields: [
        ...(context.terminal ? [] : named),
        ...extra,
        { label: 'Webhook', value: app.webhookUrl ?? '' },
        ...section('Profiles', profiles, context),
        ...section('Policies', policies, context),
      ],
    },
    context,
  );
}

export const appCard: View<SandboxApp> = (app, context) => appLines(app, context);

export const appCards: View<readonly SandboxApp[]> = (apps, context) =>
  apps.flatMap((app, index) => [...(index === 0 ? [] : ['']), ...appLines(app, context)]);

/** A new app: its key is shown, since no profile holds it yet. */
export const newAppView: View<{ app: SandboxApp; url: string }> = ({ app, url }, context) => {
  const card = appLines(app, context, [{ label: 'Key', value: app.apiKey }]);
  if (!context.terminal) return card;
  const kind = app.isSandbox ? '--sandbox' : '--live';
  return [
    ...card,
    '',
    joinPieces(
      toned('dim', '  Use it:  '),
      commandPiece(paydesk('profiles', 'add', 'NAME', '--base-url', url, '--app-id', app.appId, kind)),
    ),
  ];
};
