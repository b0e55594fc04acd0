// How pressing a payment is, in lists and explanations.

import type { Age } from '../../support/situation.js';
import type { Severity } from '../../support/verdict.js';
import { toned } from '../lines.js';
import type { Tone } from '../theme.js';
import { roughDuration } from '../time.js';

const tones: Readonly<Record<Severity, Tone | undefined>> = {
  urgent: 'bad',
  attention: 'waiting',
  waiting: 'waiting',
  failed: 'bad',
  ok: 'good',
};

export const severityPiece = (severity: Severity, text: string = severity) => toned(tones[severity], text);

/** `3 hours`, `≥ 3 hours`, `≤ 3 hours`. */
export function ageText(age: Age | undefined): string {
  if (age === undefined) return '';
  return `${{ exact: '', 'at-least': '≥ ', 'up-to': '≤ ' }[age.certainty]}${roughDuration(age.ms)}`;
}
