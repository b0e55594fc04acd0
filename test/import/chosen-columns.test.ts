import { expect, test } from 'vitest';
import { type ChosenColumn, layoutOf, readOrderRows } from '../../src/import/order-rows.js';
import { createFileProblems } from '../../src/spreadsheet/problems.js';

async function* bytes(text: string) {
  yield Buffer.from(text);
}

/** The only row of a file: its payment, and what is kept of the order. */
async function read(header: string, cells: string, ...chosen: ChosenColumn[]) {
  const problems = createFileProblems();
  const rows = await Array.fromAsync(
    readOrderRows(bytes(`${header}\n${cells}\n`), layoutOf(chosen), { problems }),
  );
  problems.throwIfAny();
  const [{ name, order } = { name: undefined, order: {} }] = rows.flat();
  const kept = Object.entries(order).filter(([, value]) => value !== undefined);
  return [name?.typed, Object.fromEntries(kept)];
}

test.each<[header: string, chosen: ChosenColumn, kept: object]>([
  ['paymentId,Order number', { column: 'note', header: 'Order number' }, { note: 'X' }],
  ['paymentId,order_number', { column: 'note', header: 'Order Number' }, { note: 'X' }],
  ['paymentId,Reference', { column: 'order', header: 'Reference' }, { orderId: 'X' }],
  ['paymentId,REFERENCE', { column: 'order', header: 'reference' }, { orderId: 'X' }],
  ['paymentId,Email', { column: 'note', header: 'Email' }, { note: 'X' }],
  ['paymentId,E-Mail', { column: 'name', header: 'e mail' }, { name: 'X' }],
  ['paymentId,Payment', { column: 'order', header: 'Payment' }, { orderId: 'X' }],
])('%s with %j: the header means what it was chosen for', async (header, chosen, kept) => {
  expect(await read(header, '7,X', chosen)).toEqual(['id:7', kept]);
});

test('a column that was chosen has no other header', async () => {
  const chosen = { column: 'email' as const, header: 'Buyer' };
  expect(await read('paymentId,email,Buyer', '7,no,yes', chosen)).toEqual(['id:7', { email: 'yes' }]);
  const key = { column: 'referenceId' as const, header: 'Order number' };
  expect(await read('Order number,Reference,paymentId', 'A-1,x,y', key)).toEqual(['ref:A-1', {}]);
});

test('one header cannot be chosen for two columns', () => {
  const chosen = [
    { column: 'order' as const, header: 'Number' },
    { column: 'note' as const, header: 'number' },
  ];
  expect(() => layoutOf(chosen)).toThrow('--column order=… and --column note=… have the same header.');
});
