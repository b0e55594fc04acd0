import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { newReference } from '../../helpers/sandbox.js';
import { openReconcileDesk, type ReconcileDesk, today } from './settlements.js';

let desk: ReconcileDesk;
beforeAll(async () => {
  desk = await openReconcileDesk();
});
afterAll(() => desk.sandbox.close());

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
