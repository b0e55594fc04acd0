import { expect, test } from 'vitest';
import { parse } from 'csv-parse/sync';
import { defectNames, type DefectKind } from '../../../src/sandbox/index.js';
import type { SettlementReport } from '../../../src/sandbox/index.js';
import type { ShownPayment, TestSandbox } from '../../helpers/sandbox.js';
import { inMemory, onEveryStore } from './stores.js';

type Row = Record<string, string>;

const HEADER = 'booked_at,type,provider_reference,capture_id,merchant_reference,amount,fee,net,currency';

async function fileOf(sandbox: TestSandbox, query = ''): Promise<{ rows: Row[]; text: string }> {
  const { status, text } = await sandbox.control('GET', `/settlement?${query}`);
  expect(status).toBe(200);
  return { text, rows: parse(text, { columns: true }) };
}

async function report(sandbox: TestSandbox, query: string): Promise<SettlementReport> {
  const { status, body } = await sandbox.control<SettlementReport>('GET', `/settlement/defects?${query}`);
  expect(status).toBe(200);
  return body;
}

/** A time by which everything so far was booked, so that every file is of the same books. */
const until = async (sandbox: TestSandbox): Promise<string> =>
  `until=${(await sandbox.control<{ now: string }>('GET', '/clock')).body.now}`;

async function capturedPayments(sandbox: TestSandbox, count: number): Promise<ShownPayment[]> {
  const payments: ShownPayment[] = [];
  for (let index = 0; index < count; index += 1) {
    const { paymentId } = await sandbox.create({ amount: 20 + index, currency: index % 3 ? 'EUR' : 'USD' });
    payments.push(await sandbox.pay(paymentId));
  }
  return payments;
}

const cents = (text: string | undefined): number => Math.round(Number(text) * 100);

onEveryStore((bench) => {
  test('every capture and refund that the provider carried out has a line, and nothing else has', async () => {
    const sandbox = await bench.start();
    const [first, second] = (await capturedPayments(sandbox, 2)) as [ShownPayment, ShownPayment];
    await sandbox.call('POST', `/payments/${second.paymentId}/refund`);
    await sandbox.settle();
    await sandbox.pay((await sandbox.create()).paymentId, 'declined');
    const failing = await sandbox.pay((await sandbox.create()).paymentId, 'refund-fails');
    await sandbox.call('POST', `/payments/${failing.paymentId}/refund`);
    await sandbox.settle();
    const { rows, text } = await fileOf(sandbox);
    expect(text.split('\n')[0]).toBe(HEADER);
    expect(
      rows.map((row) => [row['type'], row['merchant_reference'], row['amount'], row['fee'], row['net']]),
    ).toEqual([
      ['capture', first.referenceId, '20.00', '0.30', '19.70'],
      ['capture', second.referenceId, '21.00', '0.31', '20.69'],
      ['refund', second.referenceId, '-21.00', '0.00', '-21.00'],
      ['capture', failing.referenceId, '10.50', '0.15', '10.35'],
    ]);
    expect(rows[0]).toMatchObject({
      provider_reference: first.payInfo!['providerReferenceId'],
      capture_id: first.payInfo!['captureId'],
      currency: 'USD',
    });
    expect(rows[2]).toMatchObject({ capture_id: second.payInfo!['captureId'], currency: 'EUR' });
  });

  test('a capture whose answer was lost has the ID that a recheck brings in', async () => {
    const sandbox = await bench.start();
    const { paymentId } = await sandbox.create({ autoCapture: false });
    await sandbox.pay(paymentId);
    await sandbox.control('POST', '/faults', { kind: 'provider-silent', route: 'capture', next: 1 });
    await sandbox.call('POST', `/payments/${paymentId}/capture`);
    await sandbox.settle();
    expect(await sandbox.read(paymentId)).toMatchObject({ paymentState: 'Capturing' });
    const [row] = (await fileOf(sandbox)).rows;
    await sandbox.call('POST', `/payments/${paymentId}/recheck`);
    const { payInfo } = await sandbox.read(paymentId);
    expect(row).toMatchObject({
      capture_id: payInfo!['captureId'],
      provider_reference: payInfo!['providerReferenceId'],
    });
  });

  test('a file of more than one page is whole and in order', async () => {
    const sandbox = await bench.start();
    await capturedPayments(sandbox, 1);
    const { text: exported } = await sandbox.control('GET', '/export');
    const { tables, format } = JSON.parse(exported) as { format: string; tables: Record<string, Row[]> };
    const [payment] = tables['payments'] as [Row];
    const exchanges = tables['exchanges'] as Row[];
    const count = 1_234;
    const copies = Array.from({ length: count }, (_, index) => index);
    tables['payments'] = copies.map((index) => ({
      ...payment,
      payment_id: Number(payment['payment_id']) + index,
      reference_id: `many-${index}`,
    })) as never;
    tables['exchanges'] = copies.flatMap((index) =>
      exchanges.map((row, at) => ({
        ...row,
        id: index * 2 + at + 1,
        payment_id: Number(row['payment_id']) + index,
      })),
    ) as never;
    tables['events'] = [];
    const imported = await sandbox.control('POST', '/import', undefined, {
      raw: JSON.stringify({ format, tables }),
    });
    expect(imported.status).toBe(200);
    const { rows } = await fileOf(sandbox, 'defects=missing,extra&seed=9');
    const planted = await report(sandbox, 'defects=missing,extra&seed=9');
    expect([rows.length, planted.lines]).toEqual([count, count]);
    const left = rows.map((row) => row['merchant_reference']);
    const without = planted.planted.find(({ kind }) => kind === 'missing')!.referenceId;
    const added = planted.planted.find(({ kind }) => kind === 'extra')!;
    expect(left[added.line! - 2]).toBe(added.referenceId);
    left.splice(added.line! - 2, 1);
    expect(left).toEqual(copies.map((index) => `many-${index}`).filter((reference) => reference !== without));
  });
});

inMemory((bench) => {
  const sandbox = bench.shared();

  /** What each defect has done to the lines of its payment: `clean` are those of the file without it. */
  const proofs: Record<DefectKind, (lines: { clean: Row; found: Row[]; wrong: Row | undefined }) => void> = {
    missing: ({ found, wrong }) => expect([found, wrong]).toEqual([[], undefined]),
    extra: ({ clean, found, wrong }) => {
      expect(found).toEqual([clean]);
      expect(wrong!['merchant_reference']).toMatch(/^unknown-/);
    },
    amount: ({ clean, found }) => {
      expect(found).toHaveLength(1);
      expect(cents(found[0]!['amount'])).toBeGreaterThan(cents(clean['amount']));
      expect({ ...found[0], amount: clean['amount'], net: clean['net'] }).toEqual(clean);
    },
    fee: ({ clean, found }) => {
      expect(cents(found[0]!['fee'])).toBeGreaterThan(cents(clean['fee']));
      expect([{ ...found[0], fee: clean['fee'], net: clean['net'] }]).toEqual([clean]);
    },
    currency: ({ clean, found }) => {
      expect(found[0]!['currency']).not.toBe(clean['currency']);
      expect([{ ...found[0], currency: clean['currency'] }]).toEqual([clean]);
    },
    refunded: ({ clean, found }) =>
      expect(found).toMatchObject([clean, { type: 'refund', amount: `-${clean['amount']}`, fee: '0.00' }]),
    'captured-twice': ({ clean, found }) => {
      // The extra capture may be the first of the two lines.
      const [own, extra] = [true, false].map((isOwn) =>
        found.filter((row) => (row['capture_id'] === clean['capture_id']) === isOwn),
      );
      expect(own).toEqual([clean]);
      expect(extra).toMatchObject([{ type: 'capture', amount: clean['amount'] }]);
    },
    duplicate: ({ clean, found }) => expect(found).toEqual([clean, clean]),
    chargeback: ({ clean, found }) =>
      expect(found).toMatchObject([clean, { type: 'chargeback', amount: `-${clean['amount']}` }]),
    'unknown-kind': ({ clean, found }) => expect(found).toMatchObject([clean, { type: 'reserve' }]),
    'lost-ids': ({ clean, found }) =>
      expect(found).toEqual([{ ...clean, provider_reference: '', capture_id: '' }]),
    'wrong-reference': ({ clean, found, wrong }) => {
      expect(found).toEqual([]);
      const { provider_reference, capture_id, merchant_reference } = wrong!;
      expect([provider_reference, capture_id, merchant_reference]).not.toContain(clean['merchant_reference']);
      expect(wrong).toMatchObject({ amount: clean['amount'], booked_at: clean['booked_at'] });
    },
  };

  test('one of every defect is planted, each at a payment of its own and where the report says', async () => {
    await capturedPayments(sandbox(), 30);
    const time = await until(sandbox());
    const { rows: clean } = await fileOf(sandbox(), time);
    const seen = new Set<string>();
    for (const seed of [1, 2, 3]) {
      const query = `${time}&defects=all&seed=${seed}`;
      const { rows } = await fileOf(sandbox(), query);
      const { planted, lines } = await report(sandbox(), query);
      expect(planted.map(({ kind }) => kind).toSorted()).toEqual(defectNames.toSorted());
      expect(lines).toBe(rows.length);
      const touched = new Set<string>();
      for (const { kind, line, referenceId, paymentId } of planted) {
        const wrong = line === null ? undefined : rows[line - 2];
        // The line before one that nobody knows is that of the payment which it was planted at.
        const reference = kind === 'extra' ? rows[line! - 3]!['merchant_reference']! : referenceId;
        expect(paymentId === null).toBe(kind === 'extra');
        const ofPayment = (all: Row[]) => all.filter((row) => row['merchant_reference'] === reference);
        proofs[kind]({ clean: ofPayment(clean)[0]!, found: ofPayment(rows), wrong });
        if (kind !== 'extra' && kind !== 'wrong-reference' && wrong)
          expect(wrong['merchant_reference']).toBe(referenceId);
        touched.add(reference);
      }
      expect(touched.size).toBe(defectNames.length);
      for (const row of rows) expect(row['booked_at']! <= time.slice('until='.length)).toBe(true);
      for (const row of rows) expect(cents(row['net'])).toBe(cents(row['amount']) - cents(row['fee']));
      const others = (all: Row[]) =>
        all.filter(({ merchant_reference: name = '' }) => !touched.has(name) && !name.startsWith('unknown-'));
      expect(others(rows)).toEqual(others(clean));
      seen.add(JSON.stringify(planted));
    }
    expect(seen.size).toBe(3);
  });

  test('the same seed gives the same file, in both formats', async () => {
    await capturedPayments(sandbox(), 15);
    const time = await until(sandbox());
    for (const format of ['csv', 'camt']) {
      const query = `${time}&defects=all&seed=5&format=${format}`;
      const ask = async () => (await sandbox().control('GET', `/settlement?${query}`)).text;
      expect(await ask()).toBe(await ask());
    }
    const csv = await report(sandbox(), `${time}&defects=all&seed=5`);
    const camt = await report(sandbox(), `${time}&defects=all&seed=5&format=camt`);
    // An XML file has no header, and its entries count from 1.
    const shifted = csv.planted.map((defect) => ({ ...defect, line: defect.line && defect.line - 1 }));
    expect(camt.planted).toEqual(shifted);
  });

  test('only one app, one provider and one period, if they are given', async () => {
    const [early] = (await capturedPayments(sandbox(), 1)) as [ShownPayment];
    await sandbox().advance(1_000);
    const time = await until(sandbox());
    const { paymentId } = await sandbox().create();
    const late = await sandbox().pay(paymentId, undefined, { method: 'Paypal' });
    const references = async (query: string) =>
      (await fileOf(sandbox(), query)).rows.map((row) => row['merchant_reference']);
    expect(await references(time)).toContain(early.referenceId);
    expect(await references(time)).not.toContain(late.referenceId);
    expect(await references(time.replace('until', 'since'))).toEqual([late.referenceId]);
    expect(await references('provider=paypal')).toEqual([late.referenceId]);
    expect(await references('provider=Northbank')).not.toContain(late.referenceId);
    expect(await references(`appId=${sandbox().live.appId}`)).toEqual([]);
  });

  test('what cannot be written is refused, and says why', async () => {
    const refused = async (query: string) => {
      const { status, body } = await sandbox().control<{ detail: string }>('GET', `/settlement?${query}`);
      return [status, body.detail];
    };
    expect(await refused('defects=nonsense')).toEqual([400, expect.stringContaining('wrong-reference')]);
    expect(await refused('provider=nobody')).toEqual([400, expect.stringContaining('Northbank')]);
    expect(await refused('seed=x')).toEqual([400, 'seed must be a whole number']);
    expect(await refused('appId=nobody')).toEqual([404, 'There is no app nobody.']);
    const others = await refused(`appId=${sandbox().live.appId}&defects=all`);
    expect(others).toEqual([
      422,
      expect.stringContaining('12 defects need 12 captured payments, but the file has 0'),
    ]);
  });
});
