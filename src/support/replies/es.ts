import { joined, type ReplyText, type ReplyTexts } from './texts.js';

const noAction = 'No tiene que hacer nada.';
const notCharged = 'No se le ha cobrado nada.';
const available =
  'Si su banco ha reservado el importe, volverá a estar disponible, normalmente en unos pocos días hábiles.';
const bankTime = 'Según su banco, el dinero puede tardar entre 5 y 10 días hábiles en aparecer en su cuenta.';

const unclear: ReplyText = ({ payment, by }) =>
  `Estamos comprobando el estado de su pago ${payment}. Por el momento, no vuelva a pagar, por favor. Le escribiremos a más tardar el ${by}.`;
const completing: ReplyText = ({ payment }) => `Estamos completando su pago ${payment}. ${noAction}`;
const cancelling: ReplyText = ({ payment }) =>
  `Estamos cancelando su pago ${payment}. ${noAction} ${available}`;
const notCaptured: ReplyText = ({ payment, by }) =>
  `Lamentamos no haber podido completar todavía su pago ${payment}. ${notCharged} Su banco solo ha reservado el importe. ${noAction} Estamos trabajando en ello y le escribiremos a más tardar el ${by}.`;
const notRefunded: ReplyText = ({ payment, by }) =>
  `Lamentamos no haber podido reembolsarle todavía su pago ${payment}. Estamos trabajando en ello y le escribiremos a más tardar el ${by}.`;
const notCancelled: ReplyText = ({ payment, by }) =>
  `Lamentamos no haber podido cancelar todavía su pago ${payment}. Estamos trabajando en ello y le escribiremos a más tardar el ${by}.`;
const stillReviewing: ReplyText = ({ payment, by }) =>
  `Disculpe la demora. Seguimos revisando su pago ${payment}. ${notCharged} ${noAction} Le escribiremos a más tardar el ${by}.`;

export const es: ReplyTexts = {
  locale: 'es-ES',
  greeting: (firstName) => (firstName === undefined ? 'Hola:' : `Hola, ${firstName}:`),
  payment: ({ amount, date, reference }) =>
    joined(amount && `de ${amount}`, date && `del ${date}`, reference && `(referencia ${reference})`),
  states: {
    Created: ({ payment }) =>
      `Todavía no hemos recibido su pago ${payment}. ${notCharged} Aún puede pagar con el enlace que le enviamos.`,
    ActionRequired: ({ payment }) =>
      `Su banco está esperando a que confirme su pago ${payment}. Todavía no se le ha cobrado nada. Confírmelo en la aplicación o en la página de su banco, o inicie el pago de nuevo.`,
    Processing: ({ payment, by }) =>
      `Estamos esperando a que su banco confirme su pago ${payment}. Por el momento, no vuelva a pagar, por favor. Le escribiremos a más tardar el ${by}.`,
    Held: ({ payment, by }) =>
      `Seguimos revisando su pago ${payment}. ${notCharged} ${noAction} Le escribiremos a más tardar el ${by}.`,
    Authorised: ({ payment }) =>
      `Su banco ha reservado el importe de su pago ${payment}. Todavía no se le ha cobrado. ${noAction}`,
    Capturing: completing,
    Captured: ({ payment }) =>
      `Hemos recibido su pago ${payment}. ¡Muchas gracias! No tiene que hacer nada más.`,
    Refunding: ({ payment }) => `El reembolso de su pago ${payment} está en curso. ${bankTime}`,
    Refunded: ({ payment }) => `Le hemos reembolsado su pago ${payment}. ${bankTime}`,
    Cancelling: cancelling,
    Cancelled: ({ payment }) => `Hemos cancelado su pago ${payment}. ${notCharged} ${available}`,
    Declined: ({ payment }) =>
      `Su banco ha rechazado su pago ${payment}. ${notCharged} Puede intentarlo de nuevo con el mismo enlace o con otra tarjeta.`,
    Failed: ({ payment }) =>
      `Su pago ${payment} no se ha podido realizar. ${notCharged} Por favor, inicie el pago de nuevo.`,
    Expired: ({ payment }) =>
      `Su pago ${payment} no se completó a tiempo y el enlace de pago ha caducado. ${notCharged} Si todavía desea pagar, inicie el pago de nuevo, por favor.`,
  },
  declinedCharge: ({ payment }) =>
    `Su banco ha rechazado su pago ${payment}. ${notCharged} Por favor, compruebe los datos de su tarjeta o elija otro medio de pago.`,
  expiredReservation: ({ payment }) =>
    `Su pago ${payment} no se completó a tiempo. ${notCharged} El importe que reservó su banco volverá a estar disponible, normalmente en unos pocos días hábiles.`,
  cancelledTooLate: ({ payment, by }) =>
    `Lamentamos no haber podido cancelar a tiempo su pago ${payment}. Estamos trabajando en ello y le escribiremos a más tardar el ${by}.`,
  paidTwice: ({ payments, count, by }) =>
    `Nos constan sus pagos ${payments}. Es posible que haya pagado ${count === 2 ? 'dos veces' : 'más de una vez'}. Lo estamos comprobando y le escribiremos a más tardar el ${by}.`,
  more: (count) => `${count} más`,
  paidAlready: ({ payment, paid }) =>
    `Hemos recibido su pago ${paid}. Su pago ${payment} no se completó y no se le ha cobrado. No es necesario que vuelva a pagar.`,
  alsoReceived: ({ payment }) => `También hemos recibido su pago ${payment}.`,
  alsoRefunded: ({ payment }) => `También hemos reembolsado su pago ${payment}.`,
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
        `Hemos solicitado el reembolso de su pago ${payment}. Se lo confirmaremos a más tardar el ${by}.`,
      unknown: ({ payment, by }) =>
        `Estamos comprobando el estado del reembolso de su pago ${payment}. Le escribiremos a más tardar el ${by}.`,
      failed: ({ payment, by }) =>
        `Lo sentimos: el reembolso de su pago ${payment} no se ha podido realizar y usted no ha recibido el dinero. Lo estamos revisando y le escribiremos a más tardar el ${by}.`,
      refused: notRefunded,
      unsent: notRefunded,
    },
    cancel: {
      accepted: cancelling,
      unknown: ({ payment, by }) =>
        `Estamos comprobando si su pago ${payment} se ha cancelado. Le escribiremos a más tardar el ${by}.`,
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
