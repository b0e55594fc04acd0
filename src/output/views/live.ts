import { joinPieces, toned, type Line } from '../lines.js';

/** Says that what follows concerns real money; nothing on a sandbox. */
export function liveBanner(profile: { name?: string; appId: string; kind: string }): Line[] {
  if (profile.kind !== 'live') return [];
  return [joinPieces(toned('bad', 'LIVE'), `  ${profile.name ?? 'environment'} (app ${profile.appId})`)];
}
