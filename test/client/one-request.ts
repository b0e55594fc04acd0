// One request through a transport of its own, and what came of it in a word or two.
import type { Exchange, SendRequest, Transport } from '../../src/client/exchange.js';

export async function sendOne(transport: Transport, request: Partial<SendRequest> = {}): Promise<Exchange> {
  const result = await transport.send({
    method: 'POST',
    path: '/x',
    headers: {},
    fresh: true,
    limitMs: 5_000,
    ...request,
  });
  if (result.kind === 'open') throw new Error('only the body of a streamed answer is left to be read');
  return result;
}

export const outline = (exchange: Exchange): string =>
  exchange.kind === 'answer' ? `answer ${exchange.status}` : `${exchange.kind} ${exchange.failure.reason}`;
