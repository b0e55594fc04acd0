import { paydeskWith } from '../next-command.js';
import type { Customer, PaymentMethod } from '../contract/customer.js';
import type { Requests } from '../contract/schemas.js';
import { UnknownOutcomeError } from '../errors.js';
import { decodeCustomer, decodeLink, decodeMethods, type Decoded, type DecodedLink } from './answers.js';
import { createdBy, type Created } from './created.js';
import { listObjects, type ListTools } from './customer-list.js';
import type { EndpointCalls, Written } from './endpoint-calls.js';
import { oddAnswer } from './odd-answer.js';
import { checkIdentity, type AppIdentity } from './identity.js';
import type { Answer, Exchange } from './exchange.js';
import { isOnlyQueued } from './queued-answer.js';
import { oddityInRemoval } from './removal-answer.js';
import type { Retried } from './retry.js';
import { nextPage } from './paging.js';
import { successOf } from './service-errors.js';

interface CustomerRead extends Decoded<Customer> {
  answer: Answer;
}

/** Where there is no such customer, one is looked for. */
const about = (customerId: string) => ({
  parameters: { customerId },
  lookFor: paydeskWith(['customers', 'find'], customerId),
});

export function createCustomerCalls(
  calls: EndpointCalls,
  identity: AppIdentity,
  tools: Omit<ListTools, 'open' | 'context'>,
) {
  const customerIn = (answer: Answer, customerId: string) => decodedCustomer(answer, customerId, identity);

  async function getCustomer(customerId: string): Promise<CustomerRead> {
    const call = about(customerId);
    const { answer } = await calls.succeed('getCustomer', `customer ${customerId}`, call);
    const read = customerIn(answer, customerId);
    if (!read) throw oddAnswer('data that is not a customer', answer);
    return read;
  }

  return {
    getCustomer,

    async createCustomer(body: Requests['createCustomer']['body']): Promise<Created<CustomerRead>> {
      const name = 'createCustomer';
      const result = await calls.send(name, { body });
      return createdBy(result, name, calls.contextOf(name, 'such path'), (answer) =>
        customerIn(answer, body.customerId),
      );
    },

    async updateCustomer(
      customerId: string,
      body: Requests['updateCustomer']['body'],
    ): Promise<Written<CustomerRead>> {
      const call = { ...about(customerId), body };
      const { answer, result } = await calls.succeed('updateCustomer', `customer ${customerId}`, call);
      return { value: customerIn(answer, customerId), answer, attempts: result.attempts };
    },

    /** `params` go into the query of every page. */
    async *listCustomers(params: Record<string, string> = {}): AsyncGenerator<Decoded<Customer>> {
      const context = calls.contextOf('listCustomers', 'list of customers');
      const open = (query: Record<string, string>) => calls.open('listCustomers', { query });
      for await (const object of listObjects({ ...tools, open, context }, params)) {
        checkIdentity(object, identity);
        yield decodeCustomer(object) ?? { fields: {}, object };
      }
    },

    ...createMethodCalls(calls),

    async panelLink(customerId: string): Promise<DecodedLink & { answer: Answer }> {
      const call = about(customerId);
      const { answer } = await calls.succeed('getPanelLink', `customer ${customerId}`, call);
      const link = decodeLink(answer.raw);
      if (!link) throw oddAnswer('data without a link', answer);
      return { ...link, answer };
    },

    /** What a write answered with, or else the customer read back. */
    readBackCustomer: async (read: CustomerRead | undefined, customerId: string) =>
      read ?? (await getCustomer(customerId)),
  };
}

/** The customer in an answer, if it shows one; it must be the one asked for, and of our app. */
function decodedCustomer(
  answer: Answer,
  customerId: string,
  identity: AppIdentity,
): CustomerRead | undefined {
  const found = decodeCustomer(answer.raw);
  if (!found) return undefined;
  checkIdentity(found.object, identity);
  const { customerId: answered } = found.fields;
  if (answered !== undefined && answered !== customerId) {
    throw oddAnswer('a different customer than requested', answer);
  }
  return { ...found, answer };
}

interface StoredMethods {
  methods: Decoded<PaymentMethod>[];
  /** Whether these are all: nothing in the answer says that there are more. */
  isWhole: boolean;
  answer: Answer;
}

interface Removed {
  attempts: number;
  /** An attempt whose answer was lost went before one that found nothing: the methods show which of them is right. */
  repeated: boolean;
}

/** The stored methods of a customer, and the auto-payment registrations that come with them. */
function createMethodCalls(calls: EndpointCalls) {
  async function removed(
    name: 'removePaymentMethod' | 'stopAutoPayment',
    what: string,
    sent: Promise<Retried<Exchange>>,
  ): Promise<Removed> {
    const result = await sent;
    const { last, attempts } = result;
    if (last.kind === 'answer' && last.status === 404 && result.earlierMayHaveArrived) {
      return { attempts, repeated: true };
    }
    const answer = successOf(result, calls.contextOf(name, what));
    const odd = oddityInRemoval(answer);
    if (odd !== undefined) throw oddAnswer(odd, answer);
    if (isOnlyQueued(answer)) throw onlyQueued(answer);
    return { attempts, repeated: false };
  }

  return {
    async paymentMethods(customerId: string): Promise<StoredMethods> {
      const call = about(customerId);
      const { answer } = await calls.succeed('listPaymentMethods', `customer ${customerId}`, call);
      const methods = decodeMethods(answer.raw);
      if (!methods) throw oddAnswer('data that is not a list of stored methods', answer);
      return { methods, isWhole: isWholeList(answer, methods.length), answer };
    },

    removePaymentMethod: (customerId: string, paymentMethodId: string) =>
      removed(
        'removePaymentMethod',
        `method ${paymentMethodId} of customer ${customerId}`,
        calls.send('removePaymentMethod', { parameters: { customerId, paymentMethodId } }),
      ),

    stopAutoPayment: (customerId: string, customerAutomaticProfileId: string) =>
      removed(
        'stopAutoPayment',
        `auto-payment registration ${customerAutomaticProfileId} of customer ${customerId}`,
        calls.send('stopAutoPayment', { parameters: { customerId, customerAutomaticProfileId } }),
      ),
  };
}

function isWholeList({ raw = null, headers }: Answer, count: number): boolean {
  const page = { envelope: raw, headers, query: {}, count, passed: count, lastId: undefined };
  return ['end', 'unsaid'].includes(nextPage(page).kind);
}

function onlyQueued({ httpStatus }: Answer): UnknownOutcomeError {
  return new UnknownOutcomeError(
    `The outcome is unknown: the service accepted the request (HTTP ${httpStatus}) and has not confirmed it yet.`,
    { code: 'not-confirmed', httpStatus },
  );
}
