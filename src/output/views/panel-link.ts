import { age, localTime } from '../time.js';
import { toned, type Line, type View } from '../lines.js';
import type { ListView } from '../rows.js';

export interface PanelLink {
  url: string;
  expiresTime?: string;
}

export const panelLinkView: View<PanelLink> = ({ url }) => [url];

export const panelLinkList: ListView<PanelLink> = {
  empty: 'No link.',
  columns: [
    { key: 'url', value: ({ url }) => url },
    { key: 'expires', value: ({ expiresTime }) => expiresTime ?? '' },
  ],
};

/** How long a link can be used, where the service says so. */
export function expiryNote({ expiresTime }: PanelLink, now: Date): Line[] {
  if (expiresTime === undefined) return [];
  const at = new Date(expiresTime);
  const text = Number.isNaN(at.getTime()) ? expiresTime : `${localTime(at)} (${age(at, now)})`;
  return [toned('dim', `The link works until ${text}.`)];
}
