// A service that answers at once: payments that are captured until they are refunded, and one customer.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const refunded = new Set<string>();

const customer = JSON.stringify({ customerId: 'c_881', firstName: 'Ada', lastName: 'Berg' });

const payment = (id: string): string =>
  JSON.stringify({
    appId: 'app_bench',
    paymentId: Number(id),
    ...(refunded.has(id)
      ? { paymentState: 'Refunded', paymentStateId: 9 }
      : { paymentState: 'Captured', paymentStateId: 7 }),
    amount: 49.9,
    capturedAmount: 49.9,
    referenceId: 'inv-2041',
    currency: 'EUR',
    autoCapture: true,
    paymentFlow: 'HostedPage',
    customerId: 'c_881',
    createdTime: '2026-11-14T09:12:40.000Z',
  });

const server = createServer(({ method, url = '' }, answer) => {
  answer.setHeader('content-type', 'application/json');
  if (url.includes('/referenceId:')) return answer.writeHead(404).end('{}');
  if (url.includes('/customers/')) return answer.end(customer);
  // The Stripe CLI asks for a charge, and shows what it is given.
  const id = /\/payments\/(\d+)/.exec(url)?.[1] ?? '100231';
  if (method === 'POST') refunded.add(id);
  return answer.end(payment(id));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
