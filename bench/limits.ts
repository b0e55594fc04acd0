// What no program can be faster than on this machine: the other figures are to be read beside these.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { end, firstLine, median, type Figure } from './measure.ts';

const PAGE_BYTES = 4096;
const ROUNDS = 300;
const STARTS = 20;

/** A page is added to a file and written to the disk: what SQLite does at least for a durable commit. */
function fsync(): Figure {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-bench-'));
  const file = openSync(join(folder, 'pages'), 'w');
  const page = Buffer.alloc(PAGE_BYTES, 1);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    writeSync(file, page);
    fsyncSync(file);
    times.push(performance.now() - started);
  }
  closeSync(file);
  rmSync(folder, { recursive: true });
  return {
    name: 'an fsync of a new page of 4 KiB',
    value: median(times),
    unit: 'ms',
    detail: `median of ${ROUNDS}`,
  };
}

/** One byte to another process and back, over an open connection. */
async function roundTrip(): Promise<Figure> {
  const echo = `require('node:net').createServer((socket) => socket.setNoDelay().pipe(socket))
    .listen(0, '127.0.0.1', function () { console.log(this.address().port); })`;
  const child = spawn(process.execPath, ['-e', echo], { stdio: ['ignore', 'pipe', 'inherit'] });
  const port = Number(await firstLine(child));
  const socket = connect(port, '127.0.0.1').setNoDelay();
  const times: number[] = [];
  for (let round = -50; round < ROUNDS; round += 1) {
    const started = performance.now();
    socket.write('x');
    await once(socket, 'data');
    if (round >= 0) times.push(performance.now() - started);
  }
  socket.destroy();
  await end(child);
  return {
    name: 'a round trip over loopback between two Node processes',
    value: median(times),
    unit: 'ms',
    detail: `median of ${ROUNDS}, one byte each way over an open connection`,
  };
}

async function nodeStart(): Promise<Figure> {
  const times: number[] = [];
  for (let round = -1; round < STARTS; round += 1) {
    const started = performance.now();
    await once(spawn(process.execPath, ['-e', '0']), 'exit');
    if (round >= 0) times.push(performance.now() - started);
  }
  return {
    name: 'a start of Node',
    value: median(times),
    unit: 'ms',
    detail: `node -e 0, median of ${STARTS}`,
  };
}

export async function limitFigures(report: (figure: Figure) => void): Promise<void> {
  report(fsync());
  report(await roundTrip());
  report(await nodeStart());
}
