import type { Resent } from '../../sandbox-control/resend.js';
import { joinPieces, TAB, toned, type View } from '../lines.js';
import { tookTime } from '../time.js';
import { statePiece } from '../values.js';

/** A webhook that was sent again: of what, where to, and what came back. */
export const resentView: View<Resent> = ({ webhookId, paymentId, state, url, status, error, ms }, look) => {
  const answer = status === null ? (error ?? 'no answer') : String(status);
  if (!look.terminal)
    return [joinPieces(String(webhookId), TAB, paymentId, TAB, state, TAB, url, TAB, answer)];
  const tone = status !== null && status >= 200 && status < 300 ? 'good' : 'bad';
  return [
    joinPieces(
      `  webhook ${webhookId}  ${paymentId}  `,
      statePiece(state),
      '  ',
      toned(tone, answer),
      toned('dim', `  ${tookTime(ms)}`),
    ),
    joinPieces('  ', toned('dim', url)),
  ];
};
