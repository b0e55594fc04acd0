import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';
import { HEADER } from '../../reconcile/northbank.js';
import { openReconcileDesks, type ReconcileDesk, type ReconcileDesks, today } from './settlements.js';

let desks: ReconcileDesks;
let desk: ReconcileDesk;
beforeAll(async () => {
  desks = await openReconcileDesks();
});
afterAll(() => desks.sandbox.close());
beforeEach(async () => {
  desk = await desks.open();
});

interface Names {
  ref: string;
  provider: string;
  /** The ID of the capture that the service shows. */
  first: string;
  second: string;
}

interface EntryParts {
  amount?: string;
  direction?: 'CRDT' | 'DBIT';
  status?: string;
  /** Before the amount, after the code, and inside of the only transaction. */
  head?: string;
  tail?: string;
  details?: string;
}

const entry = ({ amount = '10.50', direction = 'DBIT', status = 'BOOK', ...parts }: EntryParts): string =>
  `<Ntry>${parts.head ?? ''}<Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>` +
  `<Sts><Cd>${status}</Cd></Sts><BookgDt><Dt>${today()}</Dt></BookgDt><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>MCRD</Cd>` +
  `<SubFmlyCd>${direction === 'CRDT' ? 'POSP' : 'OTHR'}</SubFmlyCd></Fmly></Domn></BkTxCd>` +
  `${parts.details === undefined ? '' : `<NtryDtls><TxDtls>${parts.details}</TxDtls></NtryDtls>`}${parts.tail ?? ''}</Ntry>`;

const refs = ({ ref, provider }: Names, id: string): string =>
  `<Refs><AcctSvcrRef>${provider}</AcctSvcrRef><EndToEndId>${ref}</EndToEndId><TxId>${id}</TxId></Refs>`;

let files = 0;
const unused = (extension: string): string =>
  join(desk.env['PAYDESK_HOME']!, `text-${(files += 1)}.${extension}`);

async function knownPayment(referenceId: string): Promise<Names> {
  const payment = await desk.paid({ referenceId });
  await desk.know(payment);
  return {
    ref: referenceId,
    provider: String(payment.payInfo?.['providerReferenceId']),
    first: String(payment.payInfo?.['captureId']),
    second: `ch2x_${payment.paymentId}`,
  };
}

interface Found {
  isPlanned: boolean;
  text: string;
  json: Json;
  stderr: string;
}

async function run(file: string, ...args: string[]): Promise<Found> {
  const plan = unused('plan.json');
  const { json, stderr } = await desk.run([file, ...args, '--plan', plan, '--json']);
  const texts = (json['exceptions'] as Json[])
    .filter(({ exception }) => String(exception) === 'captured-twice')
    .map(({ text }) => String(text));
  return { isPlanned: existsSync(plan), text: texts.join('\n'), json, stderr };
}

/** A payment with two captures in a statement with one more entry, in either order. */
async function inStatement(entryOf: (names: Names) => string, ref: string = newReference()) {
  const names = await knownPayment(ref);
  const capture = (id: string) => entry({ direction: 'CRDT', details: refs(names, id) });
  const entries = [capture(names.first), capture(names.second), entryOf(names)];
  const results: Found[] = [];
  for (const order of [entries, entries.toReversed()]) {
    const file = unused('xml');
    writeFileSync(
      file,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${order.join('\n')}</Stmt></BkToCstmrStmt></Document>`,
    );
    results.push(await run(file));
  }
  return results;
}

const plannedIn = (results: readonly Found[]): boolean[] => results.map(({ isPlanned }) => isPlanned);

describe('a second charge is not refunded where an entry that is not booked', () => {
  it.each(['PDNG', 'INFO', 'FUTR'])('takes it back: %s', async (status) => {
    for (const { isPlanned, text, json, stderr } of await inStatement((names) =>
      entry({ status, details: refs(names, names.second) }),
    )) {
      expect(isPlanned).toBe(false);
      expect(text).toMatch(
        /Check with the provider first: line [13] is about the payment, and not booked yet\.$/,
      );
      // It is evidence, and not money.
      expect(json).toMatchObject({ lines: 2, matched: 1 });
      expect(stderr).toContain('1 entry is not booked yet, and left out.');
    }
  });

  it.each<[string, (names: Names) => EntryParts]>([
    [
      'has its reference in another spelling',
      ({ ref }) => ({ details: `<Refs><InstrId>R/${ref}</InstrId></Refs>` }),
    ],
    ['names it in a text', ({ second }) => ({ tail: `<AddtlNtryInf>Storno ${second}</AddtlNtryInf>` })],
    ['has the same amount and no name', () => ({ amount: '10.50' })],
    ['is a capture of it', (names) => ({ direction: 'CRDT', details: refs(names, 'ch_third') })],
    [
      'has an amount that cannot be read',
      (names) => ({ amount: 'soon', details: refs(names, names.second) }),
    ],
  ])('%s', async (_, parts) => {
    const results = await inStatement((names) => entry({ status: 'PDNG', amount: '3.00', ...parts(names) }));
    expect(plannedIn(results)).toEqual([false, false]);
  });
});

const supplement = (text: string): string =>
  `<SplmtryData><Envlp><x:Note xmlns:x="urn:bank">${text}</x:Note></Envlp></SplmtryData>`;

describe('a second charge is not refunded where another entry has its name in', () => {
  const LONG = 'lorem ipsum '.repeat(400);
  it.each<[string, (names: Names) => EntryParts]>([
    ['RmtInf/Ustrd', ({ ref }) => ({ details: `<RmtInf><Ustrd>Storno ${ref} abc</Ustrd></RmtInf>` })],
    [
      'the second Ustrd',
      ({ second }) => ({ details: `<RmtInf><Ustrd>Storno</Ustrd><Ustrd>of ${second}</Ustrd></RmtInf>` }),
    ],
    [
      'two of Ustrd, broken in the middle',
      ({ second }) => ({
        details: `<RmtInf><Ustrd>Storno ${second.slice(0, 7)}</Ustrd><Ustrd>${second.slice(7)}</Ustrd></RmtInf>`,
      }),
    ],
    ['a long text', ({ second }) => ({ tail: `<AddtlNtryInf>${LONG}${second}</AddtlNtryInf>` })],
    [
      'a text in pieces',
      ({ second }) => ({ tail: `<AddtlNtryInf>${LONG}<![CDATA[${second}]]> ${LONG}</AddtlNtryInf>` }),
    ],
    ['AddtlNtryInf', ({ second }) => ({ tail: `<AddtlNtryInf>Reversal of ${second}</AddtlNtryInf>` })],
    ['NtryRef', ({ second }) => ({ head: `<NtryRef>${second}</NtryRef>` })],
    ['Refs/PmtInfId', ({ ref }) => ({ details: `<Refs><PmtInfId>${ref}</PmtInfId></Refs>` })],
    ['AddtlTxInf', ({ ref }) => ({ details: `<AddtlTxInf>${ref} storno</AddtlTxInf>` })],
    [
      'a reference beside the one that is compared',
      ({ second }) => ({ details: `<Refs><InstrId>${second}</InstrId><TxId>own-1</TxId></Refs>` }),
    ],
    ['supplementary data', ({ second }) => ({ tail: supplement(second) })],
  ])('%s', async (_, parts) => {
    for (const { isPlanned, text } of await inStatement((names) =>
      entry({ amount: '10.07', ...parts(names) }),
    )) {
      expect(isPlanned).toBe(false);
      expect(text).toMatch(/first: line [13] has an ID or a reference of the same payment\.$/);
    }
  });

  it('the text of an entry with several transactions', async () => {
    const details =
      '<Refs><TxId>x1</TxId></Refs><Amt Ccy="EUR">1.00</Amt></TxDtls><TxDtls><Refs><TxId>x2</TxId></Refs><Amt Ccy="EUR">1.00</Amt>';
    const results = await inStatement(({ second }) =>
      entry({ amount: '2.00', details, tail: `<AddtlNtryInf>${second}</AddtlNtryInf>` }),
    );
    expect(plannedIn(results)).toEqual([false, false]);
  });
});

describe('a second charge is refunded', () => {
  it('where its own entries have its name in a text', async () => {
    const names = await knownPayment(newReference());
    const capture = (id: string) =>
      entry({
        direction: 'CRDT',
        details: `${refs(names, id)}<RmtInf><Ustrd>Order ${names.ref}, ${names.first}</Ustrd></RmtInf>`,
      });
    const file = unused('xml');
    writeFileSync(
      file,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${capture(names.first)}${capture(names.second)}</Stmt></BkToCstmrStmt></Document>`,
    );
    expect((await run(file)).isPlanned).toBe(true);
  });

  it('where another payment has a longer reference, in its text as well', async () => {
    const other = await knownPayment('text-3001-2');
    const results = await inStatement(
      () =>
        entry({
          direction: 'CRDT',
          details: `${refs(other, other.first)}<RmtInf><Ustrd>Order text-3001-2, thanks</Ustrd></RmtInf>`,
        }),
      'text-3001',
    );
    expect(plannedIn(results)).toEqual([true, true]);
  });
});

describe('a column that the mapping ignores', () => {
  /** Two captures, and one more line, with these cells at their ends. */
  async function inCsv(column: string, cellsOf: (names: Names) => [string, string, string]): Promise<Found> {
    const names = await knownPayment(newReference());
    const cells = cellsOf(names);
    const capture = (id: string) =>
      `${today()}T00:00:01Z,capture,${names.provider},${id},${names.ref},10.50,,,EUR`;
    const file = unused('csv');
    writeFileSync(
      file,
      `${HEADER},${column}\n${capture(names.first)},${cells[0]}\n${capture(names.second)},${cells[1]}\n` +
        `${today()}T00:00:01Z,adjustment,,,,-10.07,,${names.ref.length},EUR,${cells[2]}\n`,
    );
    return run(file, '--map', desk.map);
  }

  it('counts where it has the name of the second charge', async () => {
    const { isPlanned, text } = await inCsv('description', ({ second }) => ['', '', `Reversal of ${second}`]);
    expect(isPlanned).toBe(false);
    expect(text).toMatch(/first: line 4 has an ID or a reference of the same payment\.$/);
  });

  it('does not count where it has other words, or the name in the lines of the payment alone', async () => {
    const found = await inCsv('description', ({ ref }) => [
      `Order ${ref}`,
      `Order ${ref}`,
      'Fee of November',
    ]);
    expect(found.isPlanned).toBe(true);
  });
});

it('a payment in another currency is compared with what was paid, and what was booked is said', async () => {
  const { ref } = await knownPayment(newReference());
  const file = unused('xml');
  const paid = `<Refs><EndToEndId>${ref}</EndToEndId></Refs><Amt Ccy="EUR">9.45</Amt>`;
  const exchange = '<AmtDtls><TxAmt><Amt Ccy="USD">10.50</Amt></TxAmt></AmtDtls>';
  writeFileSync(
    file,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${entry({
      direction: 'CRDT',
      amount: '9.45',
      details: `${paid}${exchange}`,
    })}</Stmt></BkToCstmrStmt></Document>`,
  );
  const { json, stderr } = await run(file);
  expect(json).toMatchObject({
    totals: [{ currency: 'USD', file: { amount: 10.5 } }],
    exchanged: [{ currency: 'EUR', lines: 1, amount: 9.45 }],
  });
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
    '1 line was paid in another currency than booked. The totals have what was paid; EUR 9.45 was booked.',
  );
});

it('a statement without entries needs no attention', async () => {
  const file = unused('xml');
  writeFileSync(
    file,
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>1</Id></Stmt></BkToCstmrStmt></Document>',
  );
  const { code, json } = await desk.run([file, '--json']);
  expect(code).toBe(0);
  expect(json).toMatchObject({ lines: 0, open: 0, exceptions: [] });
});

it('a line with a reference in a text alone is not matched, and says why', async () => {
  const { ref } = await knownPayment(newReference());
  const file = unused('xml');
  writeFileSync(
    file,
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>${entry({
      direction: 'CRDT',
      details: `<RmtInf><Ustrd>${ref}</Ustrd></RmtInf>`,
    })}</Stmt></BkToCstmrStmt></Document>`,
  );
  const { json } = await run(file);
  expect((json['exceptions'] as Json[])[0]).toMatchObject({
    exception: 'not-known',
    text: 'No known payment matches this capture of EUR 10.50, and the line has no reference in the field for it: paydesk never matches by free text.',
  });
});
