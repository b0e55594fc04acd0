import { expect, test } from 'vitest';
import { onEveryStore } from './stores.js';

onEveryStore((bench) => {
  const sandbox = bench.shared();
  const get = (path: string, options?: { appId: string; key: string }) =>
    sandbox().call('GET', `/payments/${path}`, undefined, options);

  test('show each change at once, by ID and by reference', async () => {
    const { paymentId, referenceId } = await sandbox().create({ autoCapture: false });
    const shown = async () => {
      const answers = [await get(`${paymentId}`), await get(`referenceId:${referenceId}`)];
      expect(answers[0]?.body).toEqual(answers[1]?.body);
      // The same question again, with nothing between the two.
      expect((await get(`${paymentId}`)).body).toEqual(answers[0]?.body);
      return answers[0]?.body['paymentState'];
    };
    const operate = (operation: string) => sandbox().call('POST', `/payments/${paymentId}/${operation}`);

    expect(await shown()).toBe('Created');
    await sandbox().pay(paymentId);
    expect(await shown()).toBe('Authorised');
    await operate('capture');
    await sandbox().settle();
    expect(await shown()).toBe('Captured');
    await operate('refund');
    await sandbox().settle();
    expect(await shown()).toBe('Refunded');
  });

  test('have a request ID each', async () => {
    const { paymentId } = await sandbox().create();
    const ids = [await get(`${paymentId}`), await get(`${paymentId}`)].map(
      ({ headers }) => headers['x-request-id'],
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('are of the app that asks', async () => {
    const { live } = sandbox();
    const { paymentId } = await sandbox().create();
    expect((await get(`${paymentId}`)).status).toBe(200);
    const asLive = { appId: live.appId, key: live.apiKey };
    expect((await get(`${paymentId}`, asLive)).status).toBe(404);
    expect((await get(`${paymentId}`)).status).toBe(200);
  });

  test('are refused as soon as the app is blocked', async () => {
    const own = await bench.start();
    const { paymentId } = await own.create();
    const read = async () => (await own.call('GET', `/payments/${paymentId}`)).status;
    expect(await read()).toBe(200);
    await own.control('PATCH', `/apps/${own.app.appId}`, { isBlocked: true });
    expect(await read()).toBe(403);
  });

  test('of a payment from before a reset find nothing', async () => {
    const own = await bench.start();
    const { paymentId } = await own.create();
    const read = async () => (await own.call('GET', `/payments/${paymentId}`)).status;
    expect(await read()).toBe(200);
    await own.control('POST', '/reset');
    expect(await read()).toBe(404);
  });
});
