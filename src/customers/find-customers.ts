// Finds customers by what a caller says: those of known payments, and those that the service lists.

import type { Client } from '../client/client.js';
import type { JsonObject } from '../contract/json.js';
import { InterruptedError, PaydeskError, PendingError, ServiceError } from '../errors.js';
import type { KnownSearch } from '../ledger/known/search.js';
import type { KnownPaymentRow } from '../ledger/schema.js';
import { listCustomers } from './list-customers.js';
import {
  type CustomerMatch,
  customerMatches,
  matchCustomer,
  type Person,
  readCustomerQuery,
  type CustomerQuery,
} from './match-customer.js';

export interface FoundCustomer extends Person {
  match: CustomerMatch;
  /** As the service has it; undefined for one that only known payments name. */
  object: JsonObject | undefined;
}

export interface FoundCustomers {
  found: FoundCustomer[];
  /** More were found than are shown. */
  more: boolean;
  /** Customers of the service that were looked at. */
  searched: number;
  /** The service has others. */
  isCut: boolean;
  /** Why the service's customers are missing, or not complete. */
  failure: PaydeskError | undefined;
}

interface FindOptions {
  words: readonly string[];
  limit: number;
  /** Maximum number of the service's customers to read. */
  maxSearched: number | undefined;
}

/** `search` is undefined where this desk cannot open its database. */
export async function findCustomers(
  { client, search }: { client: Client; search: KnownSearch | undefined },
  { words, limit, maxSearched }: FindOptions,
): Promise<FoundCustomers> {
  const said = readCustomerQuery(words);
  const found = createCollection(said, limit);
  if (search && said.words.length > 0) await addKnown(search, said, limit, found);
  const end = { searched: 0, isCut: false, failure: undefined as PaydeskError | undefined };
  try {
    const [only, ...others] = words;
    if (only !== undefined && others.length === 0) found.addListed(await readOne(client, only));
    const list = listCustomers(client, { params: {}, limit: maxSearched, more: () => (end.isCut = true) });
    for await (const object of list) {
      end.searched += 1;
      found.addListed(object);
    }
  } catch (error) {
    const isOver = error instanceof InterruptedError || error instanceof PendingError;
    if (!(error instanceof PaydeskError) || isOver) throw error;
    end.failure = error;
  }
  return { ...found.best(), ...end };
}

/** A long list need not be read to its end for somebody whose ID was said. */
async function readOne(client: Client, customerId: string): Promise<JsonObject | undefined> {
  if (!/^[\w.-]{1,100}$/.test(customerId)) return undefined;
  try {
    return (await client.getCustomer(customerId)).object;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

interface Collection {
  /** `otherwise`: how those were found that do not have the words themselves. */
  addKnown(rows: readonly KnownPaymentRow[], otherwise?: CustomerMatch): void;
  addListed(object: JsonObject | undefined): void;
  best(): { found: FoundCustomer[]; more: boolean };
}

/** Keeps the best ones only, as the list may be long. */
function createCollection(said: CustomerQuery, limit: number): Collection {
  const byMatch = new Map<CustomerMatch, Map<string, FoundCustomer>>(
    customerMatches.map((match) => [match, new Map()]),
  );
  const findById = (customerId: string) =>
    [...byMatch.values()].find((customers) => customers.has(customerId))?.get(customerId);

  function add(person: Person, object: JsonObject | undefined, otherwise?: CustomerMatch): void {
    const match = matchCustomer(person, said) ?? otherwise;
    const before = findById(person.customerId);
    if (before) {
      // The service knows the customer better than a payment does.
      if (object) Object.assign(before, { ...present(person), object });
      return;
    }
    const customers = match && byMatch.get(match);
    if (customers && customers.size <= limit) {
      customers.set(person.customerId, { ...person, match, object });
    }
  }

  return {
    addKnown(rows, otherwise) {
      for (const row of rows) {
        if (row.customer_id !== null) add(personInRow(row, row.customer_id), undefined, otherwise);
      }
    },
    addListed(object) {
      if (typeof object?.customerId === 'string') add(personInList(object, object.customerId), object);
    },
    best() {
      const all = [...byMatch.values()].flatMap((customers) => [...customers.values()]);
      return { found: all.slice(0, limit), more: all.length > limit };
    },
  };
}

const present = (person: Person): Partial<Person> =>
  Object.fromEntries(Object.entries(person).filter(([, value]) => value !== ''));

async function addKnown(
  search: KnownSearch,
  said: CustomerQuery,
  limit: number,
  found: Collection,
): Promise<void> {
  const find = (words: readonly string[], prefix: boolean) =>
    search.find(
      words.map((text) => ({ text, prefix: prefix && text.length >= 3 })),
      {},
      limit + 1,
    );
  found.addKnown(await find(said.words, true));
  // The reference or the order number of a payment leads to its customer.
  found.addKnown(await find(said.words, false), 'payment');
  if (said.words.length > 1) found.addKnown(await find([said.joined], false), 'payment');
}

/** The shop knows better than the provider who bought something. */
const personInRow = (row: KnownPaymentRow, customerId: string): Person => ({
  customerId,
  name: row.order_name ?? row.payer_name ?? '',
  email: row.order_email ?? row.payer_email ?? '',
  mobile: '',
});

function personInList(object: JsonObject, customerId: string): Person {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    customerId,
    name: [text(object.firstName), text(object.lastName)].filter(Boolean).join(' '),
    email: text(object.email),
    mobile: text(object.mobileNumber) || text(object.phoneNumber),
  };
}
