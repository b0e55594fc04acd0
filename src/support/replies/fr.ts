import { joined, type ReplyText, type ReplyTexts } from './texts.js';

const noAction = 'Vous n’avez rien à faire.';
const notCharged = 'Aucun montant ne vous a été débité.';
const available =
  'Si votre banque a réservé le montant, il sera de nouveau disponible, en général sous quelques jours ouvrés.';
const bankTime =
  'Selon votre banque, il peut s’écouler de 5 à 10 jours ouvrés avant que l’argent apparaisse sur votre compte.';

const unclear: ReplyText = ({ payment, by }) =>
  `Nous vérifions actuellement l’état de votre paiement ${payment}. Merci de ne pas payer une nouvelle fois pour le moment. Nous vous écrirons au plus tard le ${by}.`;
const completing: ReplyText = ({ payment }) =>
  `Votre paiement ${payment} est en cours de finalisation. ${noAction}`;
const cancelling: ReplyText = ({ payment }) =>
  `L’annulation de votre paiement ${payment} est en cours. ${noAction} ${available}`;
const notCaptured: ReplyText = ({ payment, by }) =>
  `Nous sommes désolés de ne pas avoir encore pu finaliser votre paiement ${payment}. ${notCharged} Votre banque a seulement réservé le montant. ${noAction} Nous nous en occupons et vous écrirons au plus tard le ${by}.`;
const notRefunded: ReplyText = ({ payment, by }) =>
  `Nous sommes désolés de ne pas avoir encore pu vous rembourser votre paiement ${payment}. Nous nous en occupons et vous écrirons au plus tard le ${by}.`;
const notCancelled: ReplyText = ({ payment, by }) =>
  `Nous sommes désolés de ne pas avoir encore pu annuler votre paiement ${payment}. Nous nous en occupons et vous écrirons au plus tard le ${by}.`;
const stillReviewing: ReplyText = ({ payment, by }) =>
  `Veuillez nous excuser pour ce délai. Nous vérifions encore votre paiement ${payment}. ${notCharged} ${noAction} Nous vous écrirons au plus tard le ${by}.`;

export const fr: ReplyTexts = {
  locale: 'fr-FR',
  greeting: (firstName) => (firstName === undefined ? 'Bonjour,' : `Bonjour ${firstName},`),
  payment: ({ amount, date, reference }) =>
    joined(amount && `de ${amount}`, date && `du ${date}`, reference && `(référence ${reference})`),
  states: {
    Created: ({ payment }) =>
      `Nous n’avons pas encore reçu votre paiement ${payment}. ${notCharged} Vous pouvez toujours payer avec le lien que nous vous avons envoyé.`,
    ActionRequired: ({ payment }) =>
      `Votre banque attend que vous confirmiez votre paiement ${payment}. Pour l’instant, aucun montant ne vous a été débité. Merci de le confirmer dans l’application ou sur la page de votre banque, ou de recommencer le paiement.`,
    Processing: ({ payment, by }) =>
      `Nous attendons que votre banque confirme votre paiement ${payment}. Merci de ne pas payer une nouvelle fois pour le moment. Nous vous écrirons au plus tard le ${by}.`,
    Held: ({ payment, by }) =>
      `Nous vérifions encore votre paiement ${payment}. ${notCharged} ${noAction} Nous vous écrirons au plus tard le ${by}.`,
    Authorised: ({ payment }) =>
      `Votre banque a réservé le montant de votre paiement ${payment}. Il n’a pas encore été débité. ${noAction}`,
    Capturing: completing,
    Captured: ({ payment }) =>
      `Nous avons bien reçu votre paiement ${payment}. Merci ! Vous n’avez rien d’autre à faire.`,
    Refunding: ({ payment }) => `Le remboursement de votre paiement ${payment} est en cours. ${bankTime}`,
    Refunded: ({ payment }) => `Nous vous avons remboursé votre paiement ${payment}. ${bankTime}`,
    Cancelling: cancelling,
    Cancelled: ({ payment }) => `Nous avons annulé votre paiement ${payment}. ${notCharged} ${available}`,
    Declined: ({ payment }) =>
      `Votre banque a refusé votre paiement ${payment}. ${notCharged} Vous pouvez réessayer avec le même lien ou avec une autre carte.`,
    Failed: ({ payment }) =>
      `Votre paiement ${payment} n’a pas abouti. ${notCharged} Merci de recommencer le paiement.`,
    Expired: ({ payment }) =>
      `Votre paiement ${payment} n’a pas été effectué à temps et le lien de paiement a expiré. ${notCharged} Si vous souhaitez toujours payer, merci de recommencer le paiement.`,
  },
  declinedCharge: ({ payment }) =>
    `Votre banque a refusé votre paiement ${payment}. ${notCharged} Merci de vérifier les données de votre carte ou de choisir un autre moyen de paiement.`,
  expiredReservation: ({ payment }) =>
    `Votre paiement ${payment} n’a pas été finalisé à temps. ${notCharged} Le montant réservé par votre banque sera de nouveau disponible, en général sous quelques jours ouvrés.`,
  cancelledTooLate: ({ payment, by }) =>
    `Nous sommes désolés de ne pas avoir pu annuler à temps votre paiement ${payment}. Nous nous en occupons et vous écrirons au plus tard le ${by}.`,
  paidTwice: ({ payments, count, by }) =>
    `Nous avons enregistré vos paiements ${payments}. Il est possible que vous ayez payé ${count === 2 ? 'deux fois' : 'plusieurs fois'}. Nous le vérifions et vous écrirons au plus tard le ${by}.`,
  more: (count) => `${count} ${count === 1 ? 'autre' : 'autres'}`,
  paidAlready: ({ payment, paid }) =>
    `Nous avons reçu votre paiement ${paid}. Votre paiement ${payment} n’a pas abouti et ne vous a pas été débité. Vous n’avez pas besoin de payer à nouveau.`,
  alsoReceived: ({ payment }) => `Nous avons également reçu votre paiement ${payment}.`,
  alsoRefunded: ({ payment }) => `Nous avons également remboursé votre paiement ${payment}.`,
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
        `Nous avons demandé le remboursement de votre paiement ${payment}. Nous vous le confirmerons au plus tard le ${by}.`,
      unknown: ({ payment, by }) =>
        `Nous vérifions actuellement l’état du remboursement de votre paiement ${payment}. Nous vous écrirons au plus tard le ${by}.`,
      failed: ({ payment, by }) =>
        `Nous sommes désolés : le remboursement de votre paiement ${payment} n’a pas abouti et vous n’avez pas reçu l’argent. Nous examinons ce qui s’est passé et vous écrirons au plus tard le ${by}.`,
      refused: notRefunded,
      unsent: notRefunded,
    },
    cancel: {
      accepted: cancelling,
      unknown: ({ payment, by }) =>
        `Nous vérifions si votre paiement ${payment} a bien été annulé. Nous vous écrirons au plus tard le ${by}.`,
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
