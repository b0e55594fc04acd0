import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../../helpers/desk.js';
import { httpServer } from '../../helpers/servers.js';
import { rewriteAnswers } from '../../helpers/rewritten-answers.js';
import { type ShownPayment, startTestSandbox, type TestSandbox } from '../../helpers/sandbox.js';
import { deskOn, type ReconcileDesk } from './settlements.js';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const short = ({ line, exception, payment, reference, next }: Json) => [
  line,
  exception,
  payment,
  reference,
  next,
];

/** A desk whose service answers oddly about some payments, from the moment on that they are given. */
async function oddDesk(
  rewrite: (body: string) => string,
): Promise<{ desk: ReconcileDesk; answerOddly: (...payments: ShownPayment[]) => void }> {
  let odd: ShownPayment[] = [];
  const url = await rewriteAnswers(sandbox, (body) =>
    odd.some(({ paymentId }) => body.includes(`"paymentId":${paymentId},`)) ? rewrite(body) : body,
  );
  const desk = deskOn(sandbox, { PAYDESK_BASE_URL: url });
  return { desk, answerOddly: (...payments) => void (odd = payments) };
}

it('reports a payment that the file lacks and the service does not show', async () => {
  const { desk, answerOddly } = await oddDesk(() => '"Maintenance"');
  const [listed, lacking] = [await desk.paid(), await desk.paid()];
  await desk.know(listed, lacking);
  answerOddly(lacking);
  const file = desk.file(desk.line(listed));
  const { code, json } = await desk.reconcile(file, '--json');
  expect((json['exceptions'] as Json[]).map(short)).toEqual([
    [null, 'unreadable', lacking.paymentId, lacking.referenceId, null],
  ]);
  expect([code, json['matched'], json['open'], json['missing']]).toEqual([7, 1, 1, []]);
  const { stderr } = await desk.reconcile(file);
  expect(stderr).toContain('1 matches, and 1 unreadable: 1 exception.');
  answerOddly();
  expect((await desk.reconcile(file, '--json')).json['exceptions']).toMatchObject([
    { exception: 'not-in-file', payment: lacking.paymentId },
  ]);
});

it('reports the payments that the service fails to show, and compares the others', async () => {
  const failing = new Set<string>();
  const service = await httpServer(async ({ url, headers }, response) => {
    const answer = await fetch(sandbox.url + url, {
      headers: { authorization: headers.authorization ?? '' },
    });
    const text = await answer.text();
    const isFailing = [...failing].some((reference) => text.includes(reference));
    response.writeHead(isFailing ? 500 : answer.status, { 'content-type': 'application/json' }).end(text);
  });
  const desk = deskOn(sandbox, { PAYDESK_BASE_URL: service.url });
  const [known, unknown, good] = [await desk.paid(), await desk.paid(), await desk.paid()];
  await desk.know(known);
  failing.add(known.referenceId).add(unknown.referenceId);
  const lines = [desk.line(known, { fee: '9.99' }), desk.line(unknown), desk.line(good)];
  const { code, json } = await desk.reconcile(desk.file(...lines), '--json');
  expect((json['exceptions'] as Json[]).map(short)).toEqual([
    [2, 'unreadable', null, known.referenceId, null],
    [3, 'unreadable', null, unknown.referenceId, null],
  ]);
  expect([code, json['matched'], json['open']]).toEqual([7, 1, 2]);

  const third = await desk.paid();
  failing.add(third.referenceId);
  const bad = [known, unknown, third].map((payment) => desk.line(payment, { fee: '9.99' }));
  expect((await desk.reconcile(desk.file(...bad))).code).toBe(5);
});

it('leaves a payment out that neither the file nor the service has', async () => {
  const desk = deskOn(sandbox);
  const listed = await desk.paid();
  await desk.know(listed);
  await desk.seeState(999_999_999, 'Captured');
  expect((await desk.reconcile(desk.file(desk.line(listed)))).code).toBe(0);
});

it('reports only the lines whose payment has no usable ID', async () => {
  const { desk, answerOddly } = await oddDesk((body) => body.replace(/"paymentId":\d+/, '"paymentId":"-"'));
  const [known, unknown, lacking, good] = [
    await desk.paid(),
    await desk.paid(),
    await desk.paid(),
    await desk.paid(),
  ];
  await desk.know(known, lacking, good);
  answerOddly(known, unknown, lacking);
  const lines = [desk.line(known, { fee: '9.99' }), desk.line(unknown), desk.line(good)];
  const { code, json } = await desk.reconcile(desk.file(...lines), '--json');
  expect((json['exceptions'] as Json[]).map(short)).toEqual([
    [2, 'unreadable', null, known.referenceId, null],
    [3, 'unreadable', null, unknown.referenceId, null],
    [null, 'unreadable', lacking.paymentId, lacking.referenceId, null],
  ]);
  expect([code, json['matched'], json['open']]).toEqual([7, 1, 3]);
});
