import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

/** Asks for ports, and keeps what it was given until it is ended. */
const askForPorts = `
  import { freePort } from ${JSON.stringify(new URL('free-port.ts', import.meta.url))};
  const ports = [];
  while (ports.length < 150) ports.push(await freePort());
  console.log(JSON.stringify(ports));
  process.stdin.resume();
`;

function startAsking() {
  const child = execFile(process.execPath, ['--input-type=module', '--eval', askForPorts]);
  const ports = async () => {
    const [text] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [string];
    return JSON.parse(text) as number[];
  };
  return { ports: ports(), end: () => child.kill() };
}

it('gives no port to two processes, nor to one of them twice', async () => {
  const processes = Array.from({ length: 3 }, startAsking);
  try {
    const given = (await Promise.all(processes.map(({ ports }) => ports))).flat();
    expect(new Set(given).size).toBe(450);
  } finally {
    for (const { end } of processes) end();
  }
});
