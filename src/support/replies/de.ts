import { joined, type ReplyText, type ReplyTexts } from './texts.js';

const noAction = 'Sie müssen nichts tun.';
const notCharged = 'Ihnen wurde nichts berechnet.';
const available =
  'Falls Ihre Bank den Betrag reserviert hat, ist er in der Regel innerhalb weniger Werktage wieder verfügbar.';
const bankTime = 'Je nach Bank kann es 5 bis 10 Werktage dauern, bis das Geld auf Ihrem Konto ist.';

const unclear: ReplyText = ({ payment, by }) =>
  `Wir prüfen gerade den Stand Ihrer Zahlung ${payment}. Bitte bezahlen Sie vorerst nicht noch einmal. Wir melden uns bis zum ${by} bei Ihnen.`;
const completing: ReplyText = ({ payment }) =>
  `Ihre Zahlung ${payment} wird gerade abgeschlossen. ${noAction}`;
const cancelling: ReplyText = ({ payment }) =>
  `Ihre Zahlung ${payment} wird gerade storniert. ${noAction} ${available}`;
const notCaptured: ReplyText = ({ payment, by }) =>
  `Leider konnten wir Ihre Zahlung ${payment} noch nicht abschließen. Das tut uns leid. ${notCharged} Ihre Bank hat den Betrag lediglich reserviert. ${noAction} Wir kümmern uns darum und melden uns bis zum ${by} bei Ihnen.`;
const notRefunded: ReplyText = ({ payment, by }) =>
  `Leider konnten wir Ihnen Ihre Zahlung ${payment} noch nicht erstatten. Das tut uns leid. Wir kümmern uns darum und melden uns bis zum ${by} bei Ihnen.`;
const notCancelled: ReplyText = ({ payment, by }) =>
  `Leider konnten wir Ihre Zahlung ${payment} noch nicht stornieren. Das tut uns leid. Wir kümmern uns darum und melden uns bis zum ${by} bei Ihnen.`;
const stillReviewing: ReplyText = ({ payment, by }) =>
  `Bitte entschuldigen Sie die Verzögerung. Wir prüfen Ihre Zahlung ${payment} noch. ${notCharged} ${noAction} Wir melden uns bis zum ${by} bei Ihnen.`;

export const de: ReplyTexts = {
  locale: 'de-DE',
  greeting: (firstName) => (firstName === undefined ? 'Guten Tag,' : `Hallo ${firstName},`),
  payment: ({ amount, date, reference }) =>
    joined(amount && `über ${amount}`, date && `vom ${date}`, reference && `(Referenz ${reference})`),
  states: {
    Created: ({ payment }) =>
      `Ihre Zahlung ${payment} ist noch nicht bei uns eingegangen. ${notCharged} Sie können weiterhin über den Link bezahlen, den wir Ihnen geschickt haben.`,
    ActionRequired: ({ payment }) =>
      `Ihre Bank wartet darauf, dass Sie Ihre Zahlung ${payment} bestätigen. Bisher wurde Ihnen nichts berechnet. Bitte bestätigen Sie die Zahlung in Ihrer Banking-App oder auf der Seite Ihrer Bank, oder starten Sie die Zahlung neu.`,
    Processing: ({ payment, by }) =>
      `Die Bestätigung Ihrer Bank für Ihre Zahlung ${payment} steht noch aus. Bitte bezahlen Sie vorerst nicht noch einmal. Wir melden uns bis zum ${by} bei Ihnen.`,
    Held: ({ payment, by }) =>
      `Wir prüfen Ihre Zahlung ${payment} noch. ${notCharged} ${noAction} Wir melden uns bis zum ${by} bei Ihnen.`,
    Authorised: ({ payment }) =>
      `Ihre Bank hat den Betrag für Ihre Zahlung ${payment} reserviert. Er wurde noch nicht abgebucht. ${noAction}`,
    Capturing: completing,
    Captured: ({ payment }) =>
      `Wir haben Ihre Zahlung ${payment} erhalten. Vielen Dank! Sie müssen nichts weiter tun.`,
    Refunding: ({ payment }) => `Die Erstattung Ihrer Zahlung ${payment} wird bearbeitet. ${bankTime}`,
    Refunded: ({ payment }) => `Wir haben Ihnen Ihre Zahlung ${payment} erstattet. ${bankTime}`,
    Cancelling: cancelling,
    Cancelled: ({ payment }) => `Wir haben Ihre Zahlung ${payment} storniert. ${notCharged} ${available}`,
    Declined: ({ payment }) =>
      `Ihre Bank hat Ihre Zahlung ${payment} abgelehnt. ${notCharged} Sie können es über denselben Link noch einmal versuchen, auch mit einer anderen Karte.`,
    Failed: ({ payment }) =>
      `Ihre Zahlung ${payment} ist leider fehlgeschlagen. ${notCharged} Bitte starten Sie die Zahlung neu.`,
    Expired: ({ payment }) =>
      `Ihre Zahlung ${payment} wurde nicht rechtzeitig abgeschlossen, und der Zahlungslink ist abgelaufen. ${notCharged} Wenn Sie weiterhin bezahlen möchten, starten Sie die Zahlung bitte neu.`,
  },
  declinedCharge: ({ payment }) =>
    `Ihre Bank hat Ihre Zahlung ${payment} abgelehnt. ${notCharged} Bitte prüfen Sie Ihre Kartendaten oder wählen Sie eine andere Zahlungsart.`,
  expiredReservation: ({ payment }) =>
    `Ihre Zahlung ${payment} wurde nicht rechtzeitig abgeschlossen. ${notCharged} Ihre Bank gibt den reservierten Betrag in der Regel innerhalb weniger Werktage wieder frei.`,
  cancelledTooLate: ({ payment, by }) =>
    `Leider konnten wir Ihre Zahlung ${payment} nicht mehr rechtzeitig stornieren. Das tut uns leid. Wir kümmern uns darum und melden uns bis zum ${by} bei Ihnen.`,
  paidTwice: ({ payments, count, by }) =>
    `Bei uns liegen Ihre Zahlungen ${payments} vor. Möglicherweise haben Sie ${count === 2 ? 'doppelt' : 'mehrfach'} bezahlt. Wir prüfen das und melden uns bis zum ${by} bei Ihnen.`,
  more: (count) => `${count} weitere`,
  paidAlready: ({ payment, paid }) =>
    `Wir haben Ihre Zahlung ${paid} erhalten. Ihre Zahlung ${payment} wurde nicht abgeschlossen, und dafür wurde Ihnen nichts berechnet. Sie müssen nicht noch einmal bezahlen.`,
  alsoReceived: ({ payment }) => `Ihre Zahlung ${payment} haben wir ebenfalls erhalten.`,
  alsoRefunded: ({ payment }) => `Ihre Zahlung ${payment} haben wir ebenfalls erstattet.`,
  unclear,
  operations: {
    capture: {
      accepted: completing,
      unknown: unclear,
      failed: notCaptured,
      refused: notCaptured,
      unsent: notCaptured,
    },
    refund: {
      accepted: ({ payment, by }) =>
        `Wir haben die Erstattung Ihrer Zahlung ${payment} veranlasst. Wir bestätigen sie Ihnen bis zum ${by}.`,
      unknown: ({ payment, by }) =>
        `Wir prüfen gerade den Stand der Erstattung Ihrer Zahlung ${payment}. Wir melden uns bis zum ${by} bei Ihnen.`,
      failed: ({ payment, by }) =>
        `Leider ist die Erstattung Ihrer Zahlung ${payment} fehlgeschlagen, und Sie haben das Geld nicht erhalten. Das tut uns leid. Wir gehen der Sache nach und melden uns bis zum ${by} bei Ihnen.`,
      refused: notRefunded,
      unsent: notRefunded,
    },
    cancel: {
      accepted: cancelling,
      unknown: ({ payment, by }) =>
        `Wir prüfen gerade, ob Ihre Zahlung ${payment} storniert wurde. Wir melden uns bis zum ${by} bei Ihnen.`,
      failed: notCancelled,
      refused: notCancelled,
      unsent: notCancelled,
    },
    unhold: {
      accepted: completing,
      unknown: unclear,
      failed: stillReviewing,
      refused: stillReviewing,
      unsent: stillReviewing,
    },
  },
};
