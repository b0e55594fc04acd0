import { commandText, paydesk } from '../../next-command.js';
import { counted } from '../../contract/amount-format.js';
import { numberText } from '../../contract/json.js';
import type { SeededPayment } from '../../sandbox/index.js';
import type { ListView } from '../rows.js';
import { statePiece } from '../values.js';

/** As `--json` prints it. */
export interface Seeded {
  /** How many were added. */
  payments: number;
  seeded: SeededPayment[];
  next: string[];
}

export const seededList: ListView<SeededPayment> = {
  empty: 'This sandbox has no sandbox app to add payments to.',
  columns: [
    { key: 'payment', extra: true, value: ({ paymentId }) => numberText(paymentId) },
    { key: 'reference', value: ({ referenceId }) => referenceId },
    { key: 'state', value: ({ state }) => state, shown: ({ state }) => statePiece(state) },
    { key: 'about', value: ({ about }) => about },
  ],
};

export const seededNext = [paydesk('payments', 'list'), paydesk('payments', 'explain', 'stuck-charged')].map(
  (command) => commandText(command),
);

export function seededLine(added: number): string {
  if (added === 0) return 'The sample payments already exist:';
  return `Added ${counted(added, 'sample payment')}:`;
}
