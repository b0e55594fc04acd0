import type { View } from '../lines.js';
import { safeJson } from '../text.js';

/** JSON for people and programs alike. */
export const jsonLines: View<unknown> = (value) => safeJson(value, { pretty: true }).split('\n');
