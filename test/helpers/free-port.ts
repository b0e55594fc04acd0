import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

/** Below the ports that a system gives to whoever asks for any. */
const FIRST = 20_000;
const BLOCKS = 60;
const BLOCK_SIZE = 200;

let block: Promise<number> | undefined;
let given = 0;

/** A port for a server that is stopped and started again: no other process that runs tests is given it meanwhile. */
export async function freePort(): Promise<number> {
  block ??= claimBlock();
  const first = (await block) + 1;
  for (;;) {
    const port = first + (given++ % (BLOCK_SIZE - 1));
    const server = await listen(port);
    if (!server) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** Whoever listens on the first port of a block has all of them, until it ends. */
async function claimBlock(): Promise<number> {
  for (;;) {
    const first = FIRST + BLOCK_SIZE * randomInt(BLOCKS);
    const server = await listen(first);
    if (server) {
      server.unref();
      return first;
    }
  }
}

/** Undefined if the port is in use. */
function listen(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
