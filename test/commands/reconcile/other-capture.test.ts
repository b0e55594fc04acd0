import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { describeWithPostgres } from '../../helpers/postgres.js';
import { type ShownPayment, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { deskOn, type ReconcileDesk } from './settlements.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const short = ({ exception, payment, operationId, next }: Json) => [
  exception,
  payment,
  operationId,
  next?.['operation'],
];

function otherCaptureTests(database: () => Promise<Record<string, string>>): void {
  let desk: ReconcileDesk;
  const open = async (count: number): Promise<ShownPayment[]> => {
    desk = deskOn(sandbox, await database());
    const made = await Promise.all(Array.from({ length: count }, () => desk.paid()));
    await desk.know(...made);
    return made;
  };
  /** The result of a file, which is the same when it is reconciled again, and in the reverse order. */
  async function result(...lines: string[]) {
    const file = desk.file(...lines);
    const { json } = await desk.reconcile(file, '--json');
    expect((await desk.reconcile(file, '--json')).json).toEqual(json);
    const reversed = await desk.reconcile(desk.file(...lines.toReversed()), '--json');
    const of = (each: Json) => ({
      matched: each['matched'],
      exceptions: (each['exceptions'] as Json[]).map(short),
    });
    const { matched, exceptions } = of(json);
    expect(of(reversed.json)).toEqual({ matched, exceptions: exceptions.toReversed() });
    return { matched, exceptions };
  }

  it('reports a capture of another ID, alone in a file that has the IDs of the service', async () => {
    const [one, two] = (await open(2)) as [ShownPayment, ShownPayment];
    const lines = [desk.line(one), desk.line(two, { captureId: 'cap_SECOND' })];
    expect(await result(...lines)).toEqual({
      matched: 1,
      exceptions: [['capture-id-differs', two.paymentId, 'cap_SECOND', 'recheck']],
    });
    const plan = join(desk.env['PAYDESK_HOME']!, 'refunds.json');
    const { code, json } = await desk.reconcile(desk.file(...lines), '--plan', plan, '--json');
    expect([code, existsSync(plan)]).toEqual([7, false]);
    expect(json['exceptions']).toMatchObject([
      {
        line: 3,
        text:
          `The provider captured EUR 10.50 as cap_SECOND, but the service shows the capture ${String(two.payInfo?.['captureId'])}. ` +
          'It may be a second charge: check with the provider.',
        next: { command: `paydesk payments recheck ${two.paymentId}`, movesMoney: false },
      },
    ]);
  });

  it('matches the lines of a file whose IDs are never those of the service', async () => {
    const [one, two] = (await open(2)) as [ShownPayment, ShownPayment];
    const lines = [desk.line(one, { captureId: 'txn_1' }), desk.line(two, { captureId: 'txn_2' })];
    expect(await result(...lines)).toEqual({ matched: 2, exceptions: [] });
  });

  it('takes another spelling, or another name of the payment, for no other capture', async () => {
    const made = await open(6);
    const own: Array<(payment: ShownPayment) => unknown> = [
      ({ payInfo }) => payInfo?.['captureId'],
      ({ payInfo }) => String(payInfo?.['captureId']).toUpperCase(),
      ({ payInfo }) => payInfo?.['authorizeId'],
      ({ payInfo }) => payInfo?.['providerReferenceId'],
      ({ referenceId }) => referenceId,
      () => '',
    ];
    const lines = made.map((payment, index) =>
      desk.line(payment, { captureId: String(own[index]!(payment)) }),
    );
    expect(await result(...lines)).toEqual({ matched: 6, exceptions: [] });
  });

  it('reports two captures of one payment once', async () => {
    const [one] = (await open(1)) as [ShownPayment];
    const lines = [desk.line(one), desk.line(one, { captureId: 'cap_SECOND' })];
    for (const order of [lines, lines.toReversed()]) {
      const { json } = await desk.reconcile(desk.file(...order), '--json');
      expect([json['matched'], (json['exceptions'] as Json[]).map(({ exception }) => exception)]).toEqual([
        1,
        ['captured-twice'],
      ]);
    }
  });

  it('reports the same where the captures were not read before', async () => {
    desk = deskOn(sandbox, await database());
    const made = await Promise.all([desk.paid(), desk.paid()]);
    for (const { paymentId } of made) await desk.seeState(paymentId, 'Captured');
    const [one, two] = made;
    expect(await result(desk.line(one), desk.line(two, { captureId: 'cap_SECOND' }))).toEqual({
      matched: 1,
      exceptions: [['capture-id-differs', two.paymentId, 'cap_SECOND', 'recheck']],
    });
  });
}

describe('another capture, on SQLite', () => otherCaptureTests(async () => ({})));

describeWithPostgres('another capture, on PostgreSQL', (postgres) => {
  otherCaptureTests(async () => ({ PAYDESK_DATABASE: await postgres().createDatabase() }));
});
