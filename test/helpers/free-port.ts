import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that a system gives to whoever asks for any port. */
const [FIRST, END] = [20_000, 32_000];

/** A port for a server that is stopped and started again: nobody is given it meanwhile. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
