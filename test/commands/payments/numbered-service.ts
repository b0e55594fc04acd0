import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service that has a payment for every reference such as `ref-12`. It says which one it is asked for, and waits for what
 * `onRead` returns: a number is the status that it fails with.
 */
export async function startNumberedService(
  onRead: (reference: string) => number | void | Promise<void>,
): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const reference = decodeURIComponent(request.url?.split('referenceId:')[1] ?? '');
    void Promise.resolve(onRead(reference)).then((failure) => answer(response, reference, failure));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    env: {
      PAYDESK_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      PAYDESK_APP_ID: 'app-1',
      PAYDESK_API_KEY: 'sk_test_kill',
      PAYDESK_KIND: 'sandbox',
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function answer(response: ServerResponse, reference: string, failure: number | void): void {
  if (typeof failure === 'number') {
    response.writeHead(failure).end();
    return;
  }
  const payment = {
    paymentId: Number(reference.slice(4)),
    referenceId: reference,
    paymentState: 'Captured',
    amount: 5,
    currency: 'EUR',
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(payment));
}
