import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import type { ShownPayment } from '../../helpers/sandbox.js';
import { openReconcileDesk } from './settlements.js';

test('every transaction of one entry is compared, and shown with the number of its entry', async () => {
  const desk = await openReconcileDesk();
  try {
    const payments = [await desk.paid(), await desk.paid(), await desk.paid()];
    await desk.know(...payments);
    const details = ({ referenceId }: ShownPayment, amount: string) =>
      `<TxDtls><Refs><EndToEndId>${referenceId}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt></TxDtls>`;
    const [one, two, three] = payments as [ShownPayment, ShownPayment, ShownPayment];
    const file = join(desk.env['PAYDESK_HOME']!, 'statement.xml');
    writeFileSync(
      file,
      `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt>
      <Ntry><Amt Ccy="EUR">31.52</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
      <BookgDt><Dt>${new Date().toISOString().slice(0, 10)}</Dt></BookgDt>
      <NtryDtls>${details(one, '10.51')}${details(two, '10.50')}${details(three, '10.51')}</NtryDtls></Ntry>
      <Ntry><Amt Ccy="EUR">5.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>PDNG</Cd></Sts></Ntry>
      </Stmt></BkToCstmrStmt></Document>`,
    );
    const { json, stderr } = await desk.run([file, '--json']);
    expect(stderr).not.toContain('bug');
    expect(stderr).toContain('1 entry is not booked yet, and left out.');
    expect(json).toMatchObject({ lines: 3, matched: 1, balanced: true });
    expect(
      (json['exceptions'] as Json[]).map(({ line, exception, reference }) => [line, exception, reference]),
    ).toEqual([
      [1, 'amount-differs', one.referenceId],
      [1, 'amount-differs', three.referenceId],
    ]);
  } finally {
    await desk.sandbox.close();
  }
});
