import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { PartialError, ServiceError } from '../../src/errors.js';
import { startInBackground } from '../../src/sandbox-control/background.js';

const dataFolder = mkdtempSync(join(tmpdir(), 'paydesk-background-'));
const logFile = join(dataFolder, 'sandbox', 'sandbox.log');
afterAll(() => rmSync(dataFolder, { recursive: true }));

/** Starts this script where the sandbox should be. */
const start = (script: string) =>
  startInBackground(
    {
      host: '127.0.0.1',
      allowRemote: false,
      port: 0,
      location: ':memory:',
      dataFolder,
      answers: {},
      webhookHosts: [],
    },
    { self: [process.execPath, '-e', script], env: process.env, signal: new AbortController().signal },
  );

describe('a sandbox in the background that does not start', () => {
  it.each([
    ['process.exit(7)', 'exit code 7'],
    ["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
  ])('names the log and how to see the cause, after %s', async (script, cause) => {
    const error = await start(script).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      code: 'sandbox-lost',
      message: `The sandbox stopped before it was ready (${cause}). Its log is ${logFile}. Start it in the foreground to see what happens.`,
      next: [{ words: ['paydesk', 'sandbox', 'start'] }],
    });
  });

  it('ends with the error that it printed, and with its exit code', async () => {
    const told = { exit: 7, code: 'some-failed', message: 'Some failed.', next: ['paydesk doctor'] };
    const error = await start(`console.log(${JSON.stringify(JSON.stringify({ error: told }))})`).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(PartialError);
    expect(error).toMatchObject({
      code: 'some-failed',
      message: 'Some failed.',
      next: [{ text: 'paydesk doctor' }],
    });
  });
});
