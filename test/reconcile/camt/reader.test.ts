import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readCamt } from '../../../src/reconcile/camt/reader.js';
import { createCsvReader } from '../../../src/reconcile/csv/reader.js';
import { parseMapping } from '../../../src/reconcile/csv/mapping.js';
import type { SettlementLine, SettlementReader } from '../../../src/reconcile/line.js';
import { createFileProblems } from '../../../src/spreadsheet/problems.js';
import { startSandbox } from '../../../src/library/index.js';
import type { UsageError } from '../../../src/errors.js';

async function* bytesOf(text: string, size = 4_096): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function linesOf(
  text: string,
  size?: number,
  read: SettlementReader = readCamt,
): Promise<SettlementLine[]> {
  const problems = createFileProblems();
  const lines = (await Array.fromAsync(read(bytesOf(text, size), problems))).flat();
  problems.throwIfAny();
  return lines;
}

/** What is wrong with a file, as people read it. */
async function problemsOf(text: string, size?: number): Promise<string[]> {
  const error = (await linesOf(text, size).then(
    () => expect.fail('the file was taken'),
    (thrown: unknown) => thrown,
  )) as UsageError;
  return (error.details as Array<{ input: string; problem: string }>).map(
    ({ input, problem }) => `${input}: ${problem}`,
  );
}

const document = (entries: string, version = '08', statement = '<Id>1</Id>') =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><GrpHdr><MsgId>m</MsgId></GrpHdr>
<Stmt>${statement}<Bal><Amt Ccy="EUR">9.00</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>
${entries}
</Stmt></BkToCstmrStmt></Document>`;

interface Parts {
  amount?: string;
  direction?: string;
  before?: string;
  code?: string;
  details?: string;
  date?: string;
}

const card = (subFamily: string) =>
  `<Domn><Cd>PMNT</Cd><Fmly><Cd>MCRD</Cd><SubFmlyCd>${subFamily}</SubFmlyCd></Fmly></Domn>`;

const entry = ({
  amount = '<Amt Ccy="EUR">10.00</Amt>',
  direction = '<CdtDbtInd>CRDT</CdtDbtInd>',
  before = '<Sts><Cd>BOOK</Cd></Sts>',
  date = '<BookgDt><Dt>2026-11-14</Dt></BookgDt>',
  code = card('POSP'),
  details = '',
}: Parts = {}) => `<Ntry>${amount}${direction}${before}${date}<BkTxCd>${code}</BkTxCd>${details}</Ntry>`;

const transactions = (...all: string[]) =>
  `<NtryDtls>${all.map((content) => `<TxDtls>${content}</TxDtls>`).join('')}</NtryDtls>`;

const onlyLine = async (parts: Parts, version?: string) =>
  (await linesOf(document(entry(parts), version)))[0];

describe('a statement', () => {
  test('of version 02 gives its entries with references, amounts and charges', async () => {
    const text = document(
      entry({
        amount: '<Amt Ccy="EUR">98.50</Amt>',
        before: '<RvslInd>false</RvslInd><Sts>BOOK</Sts>',
        date: '<BookgDt><DtTm>2026-11-14T10:00:00+01:00</DtTm></BookgDt><ValDt><Dt>2026-11-16</Dt></ValDt>',
        details: transactions(
          `<Refs><AcctSvcrRef>psp-1</AcctSvcrRef><EndToEndId>inv-1</EndToEndId><TxId>cap-1</TxId></Refs>
           <AmtDtls><TxAmt><Amt Ccy="EUR">100.00</Amt></TxAmt></AmtDtls>
           <Chrgs><Amt Ccy="EUR">1.50</Amt><CdtDbtInd>DBIT</CdtDbtInd></Chrgs>`,
        ),
      }),
      '02',
    );
    expect(await linesOf(text)).toEqual([
      {
        line: 1,
        kind: 'capture',
        amount: '100.00',
        currency: 'EUR',
        fee: '1.50',
        at: '2026-11-14T09:00:00.000Z',
        providerReference: 'psp-1',
        operationId: 'cap-1',
        reference: 'inv-1',
      },
    ]);
  });

  test.each(['02', '03', '04', '05', '06', '07', '08'])('is read in version %s', async (version) => {
    expect(await onlyLine({}, version)).toMatchObject({ kind: 'capture', amount: '10.00', at: '2026-11-14' });
  });

  test('may have a prefix, parts of other namespaces, CDATA and several statements', async () => {
    const text = `<s:Document xmlns:s="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08" xmlns:x="urn:x"><s:BkToCstmrStmt>
      ${[1, 2]
        .map(
          (
            number,
          ) => `<s:Stmt><s:Ntry><x:Amt Ccy="USD">9<s:Amt Ccy="USD">9</s:Amt></x:Amt><s:Amt Ccy="EUR"><![CDATA[1${number}]]>.<!-- and -->50</s:Amt><s:CdtDbtInd>CRDT</s:CdtDbtInd>
        <s:NtryDtls><s:TxDtls><s:Refs><s:EndToEndId>a &amp; ${number}</s:EndToEndId></s:Refs></s:TxDtls></s:NtryDtls></s:Ntry></s:Stmt>`,
        )
        .join('')}
    </s:BkToCstmrStmt></s:Document>`;
    expect(await linesOf(text)).toMatchObject([
      { line: 1, amount: '11.50', currency: 'EUR', reference: 'a & 1' },
      { line: 2, amount: '12.50', currency: 'EUR', reference: 'a & 2' },
    ]);
  });

  test('has a line for each transaction of an entry', async () => {
    const tx = (reference: string, amount: string, more = '') =>
      `<Refs><EndToEndId>${reference}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt>${more}`;
    const text = document(
      entry({
        amount: '<Amt Ccy="EUR">6.00</Amt>',
        before: '<Sts><Cd>BOOK</Cd></Sts><AcctSvcrRef>batch-7</AcctSvcrRef>',
        details: transactions(
          tx('a', '4.00'),
          tx('b', '3.00'),
          tx('c', '1.00', '<CdtDbtInd>DBIT</CdtDbtInd><BkTxCd><Prtry><Cd>Refund</Cd></Prtry></BkTxCd>'),
        ),
      }) + entry(),
    );
    expect(await linesOf(text)).toEqual([
      expect.objectContaining({ line: 1, reference: 'a', amount: '4.00', providerReference: undefined }),
      expect.objectContaining({ line: 1, reference: 'b', amount: '3.00' }),
      expect.objectContaining({ line: 1, reference: 'c', amount: '-1.00', kind: 'refund' }),
      expect.objectContaining({ line: 2, reference: undefined, amount: '10.00' }),
    ]);
  });

  test.each([
    [
      'charges that are included are added to what was booked',
      '<Chrgs><Rcrd><Amt Ccy="EUR">0.30</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd><Rcrd><Amt Ccy="EUR">0.10</Amt><CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>',
      { amount: '10.40', fee: '0.40' },
    ],
    [
      'charges apart leave the amount as it is',
      '<Chrgs><Rcrd><Amt Ccy="EUR">0.30</Amt></Rcrd></Chrgs>',
      { amount: '10.00', fee: '0.30' },
    ],
    [
      'charges that the bank gives back count the other way',
      '<Chrgs><Rcrd><Amt Ccy="EUR">0.30</Amt><CdtDbtInd>CRDT</CdtDbtInd></Rcrd></Chrgs>',
      { fee: '-0.30' },
    ],
    [
      'a total of charges is taken where there are no records',
      '<Chrgs><TtlChrgsAndTaxAmt Ccy="EUR">0.70</TtlChrgsAndTaxAmt></Chrgs>',
      { fee: '0.70' },
    ],
    [
      'charges in another currency are not compared',
      '<Chrgs><Rcrd><Amt Ccy="USD">0.30</Amt></Rcrd></Chrgs>',
      { fee: undefined },
    ],
    [
      'the amount before a conversion is what the customer paid',
      '<AmtDtls><InstdAmt><Amt Ccy="USD">11.00</Amt></InstdAmt></AmtDtls>',
      { amount: '11.00', currency: 'USD', fee: undefined },
    ],
    [
      'references that a bank fills in are none',
      '<Refs><EndToEndId>NOTPROVIDED</EndToEndId><AcctSvcrRef>NONREF</AcctSvcrRef></Refs>',
      { reference: undefined, providerReference: undefined },
    ],
    [
      'a creditor reference will do',
      '<RmtInf><Strd><CdtrRefInf><Ref>RF18</Ref></CdtrRefInf></Strd></RmtInf>',
      { reference: 'RF18' },
    ],
  ])('%s', async (_, details, expected) => {
    expect(await onlyLine({ details: transactions(details) })).toMatchObject(expected);
  });

  const debit = '<CdtDbtInd>DBIT</CdtDbtInd>';
  const reversal = '<RvslInd>true</RvslInd><Sts>BOOK</Sts>';
  test.each<[string, Parts, string]>([
    ['capture', {}, '10.00'],
    ['refund', { code: card('RIMB'), direction: debit }, '-10.00'],
    ['chargeback', { code: card('UPCT'), direction: debit }, '-10.00'],
    [
      'capture reversal',
      { direction: debit, code: '<Prtry><Cd>NTAV</Cd></Prtry>', before: reversal },
      '-10.00',
    ],
    ['capture', { code: '<Prtry><Cd>Sale</Cd></Prtry>' }, '10.00'],
    ['rolling reserve', { code: '<Prtry><Cd>Rolling Reserve</Cd></Prtry>', direction: debit }, '-10.00'],
    ['pmnt-mcrd-chrg', { code: card('CHRG'), direction: debit }, '-10.00'],
    ['pmnt-mcrd-rimb', { code: card('RIMB') }, '10.00'],
    ['pmnt-icdt-esct', { code: card('ESCT').replace('MCRD', 'ICDT'), direction: debit }, '-10.00'],
    ['capture', { code: card('ESCT').replace('MCRD', 'RCDT') }, '10.00'],
  ])('an entry is a %s by its code (%#)', async (kind, parts, amount) => {
    expect(await onlyLine(parts)).toMatchObject({ kind, amount });
  });

  test('a statement without entries has no lines', async () => {
    expect(await linesOf(document(''))).toEqual([]);
  });

  test('marks what was not booked, tells of it, and refuses a file without anything else', async () => {
    const pending = entry({ before: '<Sts><Cd>PDNG</Cd></Sts>' }) + entry({ before: '<Sts>INFO</Sts>' });
    let left = 0;
    const lines = await linesOf(document(pending + entry()), undefined, (source, problems) =>
      readCamt(source, problems, { onLeftOut: () => (left += 1) }),
    );
    expect([lines.map(({ isNotBooked = false }) => isNotBooked), left]).toEqual([[true, true, false], 2]);
    expect(await problemsOf(document(pending))).toEqual(['line 1: no entry of the statement is booked yet']);
  });
});

describe('what is refused', () => {
  test('names every bad entry with its line', async () => {
    const bad = [
      entry({ amount: '' }),
      entry(),
      entry({ amount: '<Amt Ccy="EUR">-1.00</Amt>', date: '<BookgDt><Dt>2026-02-30</Dt></BookgDt>' }),
      entry({ amount: '<Amt>1,00</Amt>' }),
      entry({ direction: '' }),
      entry({ direction: '<CdtDbtInd>IN</CdtDbtInd>' }),
      entry({ details: transactions('<Amt Ccy="EUR">1.00</Amt>', '<Refs/>') }),
      entry({ details: transactions('<Chrgs><Rcrd><Amt Ccy="EUR">x</Amt></Rcrd></Chrgs>') }),
    ];
    expect(await problemsOf(document(bad.join('\n')))).toEqual([
      'line 4: entry 1: Amt is missing',
      'line 6: entry 3: date 2026-02-30: is no date',
      'line 6: entry 3: Amt -1.00: must not be negative',
      'line 7: entry 4: Amt 1,00: must be a decimal number, for example 10.23',
      'line 7: entry 4: Amt 1,00 has no currency',
      'line 8: entry 5: CdtDbtInd is missing',
      'line 9: entry 6: CdtDbtInd IN: must be CRDT or DBIT',
      'line 10: entry 7: has several transactions, and one of them has no amount',
      'line 11: entry 8: charge x: must be a decimal number, for example 10.23',
    ]);
  });

  test('an entry whose transactions come to another amount', async () => {
    const amt = (amount: string, direction = '', currency = 'EUR') =>
      `<Amt Ccy="${currency}">${amount}</Amt>${direction && `<CdtDbtInd>${direction}</CdtDbtInd>`}`;
    const charge = (amount: string, currency = 'EUR') =>
      `<Chrgs><Rcrd><Amt Ccy="${currency}">${amount}</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`;
    const outgoing = '<CdtDbtInd>DBIT</CdtDbtInd>';
    const bad = [
      entry({ details: transactions(amt('9.00'), amt('2.00')) }),
      entry({ details: transactions(amt('9.99')) }),
      entry({ details: transactions(amt('12.00'), amt('2.01', 'DBIT')) }),
      entry({ direction: outgoing, details: transactions(amt('9.99')) }),
      entry({ direction: outgoing, details: transactions(amt('1.00', 'CRDT')) }),
      entry({ details: transactions(`${amt('10.21')}${charge('0.20')}`) }),
    ];
    expect(await problemsOf(document(bad.join('\n')))).toEqual([
      'line 4: entry 1: the entry has EUR 10.00, but its transactions come to EUR 11.00',
      'line 5: entry 2: the entry has EUR 10.00, but its transactions come to EUR 9.99',
      'line 6: entry 3: the entry has EUR 10.00, but its transactions come to EUR 9.99',
      'line 7: entry 4: the entry has EUR 10.00, but its transactions come to EUR 9.99',
      'line 8: entry 5: the entry has EUR 10.00, but its transactions come to EUR -1.00',
      'line 9: entry 6: the entry has EUR 10.00, but its transactions come to EUR 10.21',
    ]);
    const good = [
      entry({ details: transactions(amt('7.999999'), amt('2.000001')) }),
      entry({ details: transactions(amt('12.01'), amt('2.01', 'DBIT')) }),
      entry({ direction: outgoing, details: transactions(amt('11'), amt('1', 'CRDT')) }),
      entry({ details: transactions(`${amt('10.20')}${charge('0.20')}`) }),
      entry({ details: transactions(amt('11.00', '', 'USD')) }),
      entry({ details: transactions(amt('9.00'), amt('2.00', '', 'USD')) }),
      entry({ before: '<Sts><Cd>PDNG</Cd></Sts>', details: transactions(amt('1.00'), amt('2.00')) }),
    ];
    expect(await linesOf(document(good.join('\n')))).toHaveLength(12);
  });

  test('tells once what is wrong with an entry of several transactions', async () => {
    const two = transactions('<Amt Ccy="EUR">4.00</Amt>', '<Amt Ccy="EUR">6.00</Amt>');
    const bad = [
      entry({ date: '<BookgDt><Dt>2026-02-30</Dt></BookgDt>', details: two }),
      entry({ direction: '', details: two }),
    ];
    expect(await problemsOf(document(bad.join('\n')))).toEqual([
      'line 4: entry 1: date 2026-02-30: is no date',
      'line 5: entry 2: CdtDbtInd is missing',
    ]);
  });

  test('gives the line and column of what is not XML, and the entries before it', async () => {
    const text = document(`${entry({ direction: '' })}\n  <Ntry></Stmt>`);
    for (const size of [1, 7, 4_096]) {
      expect(await problemsOf(text, size)).toEqual([
        'line 4: entry 1: CdtDbtInd is missing',
        'line 5: column 9: </Ntry> is expected, not </Stmt>',
      ]);
    }
  });

  test.each([
    ['<a/>', 'line 1: column 1: a is not a camt.053 document'],
    [
      '\n <Document/>',
      'line 2: column 2: this is not camt.053 in a version from 02 to 08, but a document without a namespace',
    ],
    [
      document(entry(), '09'),
      expect.stringMatching(/^line 2: column 1: this is not camt\.053 .*camt\.053\.001\.09$/),
    ],
    [
      document(entry()).replace('camt.053', 'camt.054'),
      expect.stringContaining('but urn:iso:std:iso:20022:tech:xsd:camt.054.001.08'),
    ],
    [document('').replaceAll(/<Stmt>.*<\/Stmt>/gs, ''), 'line 1: the document has no statement'],
    [
      '<!DOCTYPE Document [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><Document>&lol2;</Document>',
      'line 1: column 1: a document type is not allowed',
    ],
    ['', 'line 1: column 1: there is no document'],
  ])('%j', async (text, expected) => {
    expect(await problemsOf(text)).toEqual([expected]);
  });

  test('text that is not UTF-8', async () => {
    const problems = createFileProblems();
    const latin = async function* () {
      yield Buffer.from('<!-- -->\n<!-- -->\n<!-- \u00FC -->\n<Document/>', 'latin1');
    };
    await Array.fromAsync(readCamt(latin(), problems));
    expect(() => problems.throwIfAny()).toThrow(
      expect.objectContaining({ details: [{ input: 'line 3', problem: 'the file is not UTF-8 text' }] }),
    );
  });

  test('an entry with endless fields', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `<x${index}>1</x${index}>`).join('');
    expect(await problemsOf(document(entry({ before: many })))).toEqual([
      expect.stringContaining('too many fields'),
    ]);
  });
});

test('lines come in order and whole, wherever the bytes are cut', async () => {
  const anyReference = fc.string({
    unit: fc.constantFrom('a', 'ü', '😀', '&', '<', '-'),
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyReference, fc.bigInt({ min: 0n, max: 99_999_999n })), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.integer({ min: 1, max: 90 }),
      async (rows, size) => {
        const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        const amount = (cents: bigint) => `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
        const entries = rows.map(([reference, cents]) =>
          entry({
            amount: `<Amt Ccy="EUR">${amount(cents)}</Amt>`,
            details: transactions(`<Refs><EndToEndId>${escaped(reference)}</EndToEndId></Refs>`),
          }),
        );
        const lines = await linesOf(document(entries.join('')), size);
        expect(lines.map(({ line, reference, amount: read }) => [line, reference, read])).toEqual(
          rows.map(([reference, cents], index) => [index + 1, reference, amount(cents)]),
        );
      },
    ),
    { numRuns: 60 },
  );
});

test("the sandbox's own file says the same in both formats", async () => {
  const mapping = parseMapping(
    'northbank.yaml',
    `columns: { at: booked_at, kind: type, providerReference: provider_reference, operationId: capture_id,
      reference: merchant_reference, amount: amount, fee: fee, currency: currency }`,
  );
  const sandbox = await startSandbox({ seed: 7, clock: '2026-01-10T12:00:00Z' });
  try {
    for (let index = 0; index < 14; index += 1) {
      const { appId, apiKey, url } = sandbox;
      await fetch(`${url}/api/apps/${appId}/payments/hosted-page`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          referenceId: `a & b <${index}>`,
          amount: 10 + index,
          currency: 'EUR',
          customerOrder: { customer: { customerId: 'c_1' } },
          autoCapture: true,
          returnUrl: 'https://shop.example/done',
          showPayRecurringInCheckout: false,
        }),
      });
      await sandbox.pay(`a & b <${index}>`);
    }
    const csv = await sandbox.settlement({ defects: 'all' });
    const camt = await sandbox.settlement({ defects: 'all', format: 'camt' });
    const fromCsv = await linesOf(csv.text, undefined, createCsvReader(mapping));
    const fromCamt = await linesOf(camt.text);
    expect(fromCamt).toHaveLength(camt.lines);
    const plain = ({ at, fee, ...line }: SettlementLine) => ({
      ...JSON.parse(JSON.stringify({ ...line, line: undefined })),
      at: at?.slice(0, 19),
      // Nothing is charged for what goes out; XML leaves that away.
      fee: fee === '0.00' ? undefined : fee,
    });
    expect(fromCamt.map(plain)).toEqual(fromCsv.map(plain));
  } finally {
    await sandbox.stop();
  }
});
