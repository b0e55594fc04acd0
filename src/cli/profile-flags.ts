import { custom } from '@oclif/core/flags';
import { parseQuietPeriod } from '../profiles/quiet-period.js';

/** What can be said of a profile when it is added, and changed later. */
export const profileSettingFlags = {
  'quiet-period': custom<number>({ helpValue: 'DURATION', parse: async (text) => parseQuietPeriod(text) })({
    summary: 'How long your service may take to show what it did (default 10m).',
  }),
};
