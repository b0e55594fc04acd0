// A file of charges: each row has a reference of its own, a customer and an amount.

import type { CreateRequest } from '../../payments/send-create.js';
import { amountValue, draftRequest } from '../../payments/payment-draft.js';
import { shortText } from '../../spreadsheet/problems.js';
import { commonColumns, type SourceRow, readCommon, type RowFormat } from './csv-rows.js';

const references = ['reference', 'referenceId'] as const;
const customers = ['customer', 'customerId'] as const;
const methods = ['method', 'methodId', 'paymentMethodId'] as const;
type Column =
  | (typeof references)[number]
  | (typeof customers)[number]
  | (typeof methods)[number]
  | 'amount'
  | (typeof commonColumns)[number];

export const chargeRows: RowFormat<Column> = {
  layout: {
    key: references,
    required: [customers, ['amount']],
    optional: [...methods, ...commonColumns],
    amounts: ['amount'],
    about: 'charge',
  },
  read({ line, cells }, problems) {
    const before = problems.count;
    const tell = (problem: string) => problems.add(line, problem);
    const [typed, customer, method] = [references, customers, methods].map((names) =>
      names.map((name: Column) => cells[name]).find((value) => value !== undefined),
    );
    if (typed === undefined) tell('the reference is empty');
    if (customer === undefined) tell('the customer is empty');
    if (cells.amount === undefined) tell('the amount is empty');
    if (method !== undefined && !/^[1-9]\d{0,14}$/.test(method)) {
      tell(`method ${shortText(method)}: must be the number of a stored method`);
    }
    const row: SourceRow = { line, typed: typed ?? '', customer, method, ...readCommon(cells, tell) };
    if (cells.amount !== undefined) row.amount = cells.amount;
    if (problems.count > before) return undefined;
    // The amount is read when the whole file has shown how it writes amounts.
    for (const { input, problem } of draftOf({ ...row, amount: '1' }).bad) {
      tell(`${input.replace('--', '')} ${shortText(String(row[columnNames[input] ?? 'typed']))}: ${problem}`);
    }
    return problems.count === before ? { ...row, typed: row.typed.normalize('NFC') } : undefined;
  },
};

const columnNames: Readonly<Record<string, keyof SourceRow>> = {
  '--reference': 'typed',
  '--customer': 'customer',
  '--description': 'description',
};

type ChargeRow = Pick<SourceRow, 'typed' | 'amount' | 'customer' | 'method' | 'description'>;

/** The request that `payments charge` makes of the same values. */
function draftOf({ typed, amount, customer, method, description }: ChargeRow) {
  const flags = {
    reference: typed,
    amount: amountValue(amount),
    customer,
    description,
    'method-id': method === undefined ? undefined : Number(method),
  };
  return draftRequest('charge', { flags });
}

/** What is sent for a row. */
export function chargeBody(row: ChargeRow): CreateRequest['body'] {
  return { ...draftOf(row).body, referenceId: row.typed };
}
