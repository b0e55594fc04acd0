import type { JsonObject } from '../../contract/json.js';
import { joinPieces, toned, type View } from '../lines.js';
import { statePiece, textAt } from '../values.js';
import { paymentCard } from './payment.js';

/** A payment after the customer has been played, and the state that it was in before. */
export const paidView: View<{ before: string; payment: JsonObject }> = ({ before, payment }, look) => {
  const card = paymentCard(payment, look);
  if (!look.terminal) return card;
  const after = textAt(payment, 'paymentState');
  return [...card, '', joinPieces('  ', toned('dim', before), ' → ', statePiece(after))];
};
