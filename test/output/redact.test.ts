import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../src/output/redact.js';
import { createStreams, type StreamSource } from '../../src/output/streams.js';

describe('redaction', () => {
  it('hides what was registered, in every form that it takes', () => {
    const { add, redact } = createRedactor();
    add('sk/live "1"');
    expect(redact('key sk/live "1" end')).toBe('key [redacted] end');
    expect(redact('?k=sk%2Flive%20%221%22')).toBe('?k=[redacted]');
    expect(redact(JSON.stringify({ key: 'sk/live "1"' }))).toBe('{"key":"[redacted]"}');
  });

  it('hides the longer of two secrets whole', () => {
    const { add, redact } = createRedactor();
    add('https://pay.example/c');
    add('https://pay.example/c/token');
    expect(redact('open https://pay.example/c/token now')).toBe('open [redacted] now');
  });

  it('hides bearer tokens and passwords in addresses that nobody registered', () => {
    const { redact } = createRedactor();
    expect(redact('authorization: Bearer abc.def')).toBe('authorization: Bearer [redacted]');
    expect(redact('postgres://me:hunter2@db/x')).toBe('postgres://me:[redacted]@db/x');
  });

  it('does not garble text for the sake of something too short to be a secret', () => {
    const { add, redact } = createRedactor();
    add('a');
    add('');
    add(undefined);
    expect(redact('a banana')).toBe('a banana');
  });
});

describe('streams', () => {
  const source = (isTTY: boolean, env: Record<string, string> = {}, columns?: number) => {
    const written = { out: '', err: '' };
    const streams = createStreams({
      stdin: { isTTY } as StreamSource['stdin'],
      stdout: { isTTY, columns, write: (text) => (written.out += text) },
      stderr: { isTTY, columns, write: (text) => (written.err += text) },
      env,
      secrets: { redact: (text) => text.replaceAll('secret', '***') },
    });
    return { streams, written };
  };

  it('know a terminal from a pipe', () => {
    expect(source(true, {}, 120).streams.stdout).toEqual({ terminal: true, colour: true, width: 120 });
    expect(source(false).streams.stdout).toEqual({ terminal: false, colour: false, width: 80 });
    expect(source(true, {}, 0).streams.stderr.width).toBe(80);
  });

  it.each([
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
  ])('terminal %s with %j: colour %s', (isTTY, env: Record<string, string>, colour) => {
    expect(source(isTTY, env).streams.stdout.colour).toBe(colour);
  });

  it('take secrets out of stderr and leave data alone', () => {
    const { streams, written } = source(false);
    streams.write('a secret');
    streams.writeError('a secret');
    expect(written).toEqual({ out: 'a secret', err: 'a ***' });
  });
});
