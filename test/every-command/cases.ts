import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCommand, type runInProcess } from '../helpers/in-process.js';
import { createFlags, type TestDesk } from '../helpers/desk.js';
import { newReference } from '../helpers/sandbox.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

export type CommandClass = Parameters<typeof runInProcess>[0];

/** What the program offers, by the names of the manifest: `payments:get`. */
export const commandNames = Object.keys(
  (JSON.parse(readFileSync(join(root, 'oclif.manifest.json'), 'utf8')) as { commands: object }).commands,
);

export const commandClass = async (name: string): Promise<CommandClass> =>
  (await findCommand(name.split(':'))).Class;

type Words = Array<string | number>;

type Listed = number | { paymentMethodId: number; customerAutomaticProfileId: number };

/** A customer with a stored method, in whatever shape the sandbox lists it. */
async function registration(desk: TestDesk): Promise<{ customer: string; method: number; auto: number }> {
  const customer = await desk.stored();
  const path = `/customers/${customer}/payment-methods`;
  const { body } = await desk.sandbox.call<Listed[] | { items: Listed[] }>('GET', path);
  const [first] = Array.isArray(body) ? body : body.items;
  // Where only ids are listed: a sandbox counts methods from 3001 and registrations from 7001, in step.
  if (typeof first === 'number') return { customer, method: first, auto: first + 4000 };
  return { customer, method: first!.paymentMethodId, auto: first!.customerAutomaticProfileId };
}

/** Words after the name of each command on the service, with which it works on a payment or customer made for it. */
export const serviceCases: Record<string, (desk: TestDesk) => Words | Promise<Words>> = {
  'payments:create': () => createFlags(newReference()),
  'payments:charge': async (desk) => {
    const customer = await desk.stored();
    return ['--customer', customer, '--amount', '3', '--reference', newReference()];
  },
  'payments:get': async (desk) => [(await desk.paid()).paymentId],
  'payments:explain': async (desk) => [(await desk.held()).paymentId],
  'payments:watch': async (desk) => [(await desk.paid()).paymentId],
  'payments:capture': async (desk) => [(await desk.authorised()).paymentId],
  'payments:cancel': async (desk) => [(await desk.authorised()).paymentId],
  'payments:refund': async (desk) => [(await desk.paid()).paymentId, '--reason', 'parcel lost'],
  'payments:unhold': async (desk) => [(await desk.held()).paymentId],
  'payments:check': async (desk) => [(await desk.paid()).paymentId],
  'payments:recheck': async (desk) => [(await desk.paid('unknown-charged')).paymentId],
  'customers:create': () => ['--customer', newReference(), '--first-name', 'Ada'],
  'customers:get': async (desk) => [await desk.stored()],
  'customers:list': () => ['--all'],
  'customers:find': async (desk) => [await desk.stored()],
  'customers:update': async (desk) => [await desk.stored(), '--mobile', '+491701234567'],
  'customers:methods': async (desk) => [await desk.stored()],
  'customers:remove-method': async (desk) => {
    const { customer, method } = await registration(desk);
    return [customer, method];
  },
  'customers:stop-auto-payment': async (desk) => {
    const { customer, auto } = await registration(desk);
    return [customer, auto];
  },
  'customers:panel-link': async (desk) => [await desk.stored()],
  'scenario:record': async (desk) => [(await desk.paid()).paymentId],
  api: async (desk) => ['GET', `/payments/${(await desk.paid()).paymentId}`],
  doctor: () => [],
};

/** Words with which the service refuses a command; the others are refused with an identifier that it does not know. */
export const refusedCases: Record<string, string[]> = {
  'payments:create': createFlags('refused', { currency: 'XXZ' }),
  'payments:charge': ['--customer', 'nobody', '--amount', '3', '--reference', 'refused'],
  'customers:create': ['--customer', 'refused', '--fraud-policy', '99'],
  'customers:update': ['nobody', '--mobile', '+491701234567'],
  'customers:remove-method': ['nobody', '5'],
  'customers:stop-auto-payment': ['nobody', '5'],
  api: ['GET', '/payments/1'],
};

/** Commands that ask nothing of the service of a profile: they answer alike, whatever that answers. */
export const isLocal = (name: string): boolean =>
  /^(sandbox:|scenario:(?!record$)|profiles:|payments:(find|list|resolve)$|customers:forget$|completion|ledger:|whoami$|history$|demo$)/.test(
    name,
  );
