// One payment, told at once to whoever asks, whatever they ask for.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const payment = JSON.stringify({
  appId: 'app_bench',
  paymentId: 100231,
  paymentState: 'Captured',
  paymentStateId: 7,
  amount: 49.9,
  capturedAmount: 49.9,
  referenceId: 'inv-2041',
  currency: 'EUR',
  autoCapture: true,
  paymentFlow: 'HostedPage',
  customerId: 'c_881',
  createdTime: '2026-11-14T09:12:40.000Z',
});

const server = createServer((_, answer) => answer.setHeader('content-type', 'application/json').end(payment));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
