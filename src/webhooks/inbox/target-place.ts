// Where a target is: its address, and the machine too where that is a loopback address. Such an address means another
// program on every machine that shares the inbox.

import type { ForwardRow } from '../../ledger/inbox-schema.js';

/** The key of a target begins with its place; its filters come after it. */
export const targetPlace = ({ target, target_key }: Pick<ForwardRow, 'target' | 'target_key'>): string =>
  target_key.slice(0, target_key.indexOf(target) + target.length);

/** The machine of a place, where it has one. */
export const machineOf = ({ place, to }: { place: string; to: string }): string =>
  place.slice(0, -to.length).trimEnd();
