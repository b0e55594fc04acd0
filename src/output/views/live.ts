import { joinPieces, toned, type Line } from '../lines.js';

/** Said before an app is treated as live although nobody said that it is. */
export function unverifiedKind(appId: string): Line {
  const advice = 'If it is a test app, set PAYDESK_KIND=sandbox.';
  return `The service does not say whether app ${appId} is live, so paydesk treats it as live. ${advice}`;
}

/** Says that what follows concerns real money; nothing on a sandbox. */
export function liveBanner(profile: {
  name?: string;
  appId: string;
  kind: string | undefined;
  readOnly: boolean;
}): Line[] {
  if (profile.kind !== 'live') return [];
  return [
    joinPieces(
      toned('bad', 'LIVE'),
      `  ${profile.name ?? 'environment'} (app ${profile.appId})${profile.readOnly ? ', read-only' : ''}`,
    ),
  ];
}
