// Tells a person at a terminal what a command is waiting for, once that takes longer than a moment.

import type { ClientEvent } from '../../client/call.js';
import { APPS_PATH, matchEndpoint, type EndpointName } from '../../contract/endpoints.js';
import { isJsonNumber, isJsonObject, numberText, parseJson } from '../../contract/json.js';
import { formatAmount } from '../../contract/amount-format.js';

const SHOWN_AFTER_MS = 500;
const APP_PREFIX = new RegExp(`^${APPS_PATH}[^/]+`);

type Parameters = Record<string, string>;

/** What a request does; `money` is the amount of its payment where a read has shown it. */
const texts: Readonly<Record<EndpointName, (at: Parameters, money: string) => string>> = {
  createHostedPayment: () => 'Creating the payment',
  createPayment: () => 'Creating the payment',
  createProviderHostedPayment: () => 'Creating the payment',
  createAutoPayment: () => 'Charging the stored method',
  capturePayment: (_, money) => `Sending the capture of ${money}`,
  cancelPayment: (_, money) => `Sending the cancellation of ${money}`,
  refundPayment: (_, money) => `Sending the refund of ${money}`,
  unholdPayment: (_, money) => `Sending the approval of ${money}`,
  recheckPayment: ({ paymentId }) => `Checking payment ${paymentId} with the provider`,
  getPayment: ({ paymentId }) => `Reading payment ${paymentId}`,
  getPaymentByReference: ({ referenceId }) => `Reading payment ${referenceId}`,
  createCustomer: () => 'Creating the customer',
  getCustomer: ({ customerId }) => `Reading customer ${customerId}`,
  listCustomers: () => 'Reading customers',
  updateCustomer: ({ customerId }) => `Updating customer ${customerId}`,
  listPaymentMethods: ({ customerId }) => `Reading the payment methods of customer ${customerId}`,
  removePaymentMethod: () => 'Removing the payment method',
  stopAutoPayment: () => 'Stopping the auto-payment',
  getPanelLink: ({ customerId }) => `Creating the panel link of customer ${customerId}`,
};

interface Waiting {
  /** For the events of one client. */
  listener(): (event: ClientEvent) => void;
  close(): void;
}

/** `show` gets the line to show, or undefined when there is nothing to wait for any more. */
export function createWaiting(show: (text: string | undefined) => void): Waiting {
  const pending = new Map<string, string>();
  const amounts = new Map<string, string>();
  let clients = 0;
  let timer: NodeJS.Timeout | undefined;
  let shown = false;

  function update(): void {
    const [text] = pending.values();
    if (text === undefined || shown) {
      clearTimeout(timer);
      timer = undefined;
      if (shown || text === undefined) show(text);
      shown = text !== undefined;
    } else {
      timer ??= setTimeout(() => {
        timer = undefined;
        shown = true;
        show(pending.values().next().value);
      }, SHOWN_AFTER_MS).unref();
    }
  }

  function textOf({ method, path }: ClientEvent): string {
    const match = matchEndpoint(method, path.replace(APP_PREFIX, '').replace(/\?.*$/s, ''));
    if (match === undefined || 'allowed' in match) return 'Waiting for the service';
    const parameters: Record<string, string> = match.parameters;
    const { paymentId = '' } = parameters;
    return texts[match.name](parameters, amounts.get(paymentId) ?? `payment ${paymentId}`);
  }

  return {
    listener() {
      const client = (clients += 1);
      return (event) => {
        const key = `${client}:${event.call}`;
        if (event.type === 'request') pending.set(key, `${textOf(event)} …`);
        else if (event.type === 'retry') pending.set(key, `${textOf(event)}, attempt ${event.attempt + 1} …`);
        else {
          pending.delete(key);
          if (event.type === 'answer' && event.method === 'GET') note(amounts, event.body);
        }
        update();
      };
    },
    close() {
      pending.clear();
      update();
    },
  };
}

/** Keeps the amount of a payment that was read. */
function note(amounts: Map<string, string>, body: string | undefined): void {
  if (body === undefined || !body.includes('"paymentId"')) return;
  try {
    const payment = parseJson(body);
    if (!isJsonObject(payment)) return;
    const { paymentId, amount, currency } = payment;
    if (!isJsonNumber(paymentId) || !isJsonNumber(amount) || typeof currency !== 'string') return;
    amounts.set(numberText(paymentId), formatAmount(numberText(amount), currency));
  } catch {
    // Cut short, or not the payment itself: then the line names its id.
  }
}
