import { describe, expect, it } from 'vitest';
import { createRedactor, createScrubber } from '../../src/redact.js';
import { takesAll } from '../../src/cli/runtime/runtime.js';
import { createStreams, type StreamSource } from '../../src/output/streams.js';

describe('redaction', () => {
  it('hides what was registered, in every form that it takes', () => {
    const { add, redact } = createRedactor();
    add('sk/live "1"');
    expect(redact('key sk/live "1" end')).toBe('key [redacted] end');
    expect(redact('?k=sk%2Flive%20%221%22')).toBe('?k=[redacted]');
    expect(redact(JSON.stringify({ key: 'sk/live "1"' }))).toBe('{"key":"[redacted]"}');
  });

  const secret = 'sk_live/4+f"9\\Zz?0';
  const escaped = (text: string) =>
    Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const percent = (text: string) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it.each([
    ['plain', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON with slashes escaped', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
    ['one letter of it escaped', JSON.stringify(secret).slice(1, -1).replace('l', '\\u006C')],
    ['escaped', escaped(secret)],
    ['escaped in JSON inside of JSON', JSON.stringify(escaped(secret)).slice(1, -1)],
    ['percent-encoded', encodeURIComponent(secret)],
    ['percent-encoded throughout', percent(secret)],
    ['percent-encoded twice', encodeURIComponent(percent(secret))],
    ['percent-encoded and escaped', percent(secret).replaceAll('%', '\\u0025')],
    ['in HTML', secret.replace('"', '&quot;').replace('s', '&#115;').replace('k', '&#x6B;')],
    ['with names of HTML', secret.replaceAll('_', '&lowbar;').replaceAll('/', '&sol;')],
    ['in HTML without semicolons', secret.replace('s', '&#0000000115').replace('?', '&#X3F;')],
    ['as bytes of a string', Buffer.from(secret).toString('hex').replaceAll(/../g, '\\x$&')],
    [
      'in hexadecimal bytes with spaces',
      Buffer.from(secret)
        .toString('hex')
        .replaceAll(/..(?=.)/g, '$& '),
    ],
    [
      'in hexadecimal bytes with colons',
      Buffer.from(secret)
        .toString('hex')
        .replaceAll(/..(?=.)/g, '$&:'),
    ],
    ['in hexadecimal digits', Buffer.from(secret).toString('hex')],
    ['in large hexadecimal digits', Buffer.from(`user:${secret}`).toString('hex').toUpperCase()],
    ['in base64', base64(secret)],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
    ['in base64 with slashes escaped', base64(secret).replaceAll('/', '\\/')],
    ['in percent-encoded base64', encodeURIComponent(base64(`user:${secret}`))],
    ...['Bearer ', ':', 'user:', 'a', 'ab', 'abc', '{"key":"'].map((before) => [
      `in base64 after ${before}`,
      base64(`${before}${secret} and more`),
    ]),
  ])('hides a secret %s, and leaves JSON whole', (_how, form) => {
    const { addKey, redact, redactData } = createRedactor();
    addKey(secret);
    expect(redact(`before ${form} after`)).toBe('before [redacted] after');
    expect(redactData(`before ${form} after`)).toBe('before [redacted] after');
    expect(createScrubber(secret)(`{"a":"${form}","b":"\\n${form}\\\\"}`)).toMatch(
      /^\{"a":"\[redacted\]","b":"(\\n)?\[redacted\]\\\\"\}$/,
    );
  });

  it('keeps data that only looks alike', () => {
    const text = JSON.stringify({ a: '\\u0041 100% &amp; c2tfbGl2ZQ==', b: 'sk_live', c: '\u{1F600}"\n' });
    expect(createScrubber(secret)(text)).toBe(text);
  });

  it('leaves JSON whole when a letter of an escape begins the secret', () => {
    expect(createScrubber('n123456')('{"a":"\\n123456"}')).toBe('{"a":"[redacted]"}');
  });

  it('takes no longer for text that is made to be slow', () => {
    const { addKey, redact, redactData } = createRedactor();
    addKey(secret);
    const texts = ['\\', '%25', '&#x', 'c2tf', '\\u005c'].map((part) => part.repeat(200_000));
    const from = performance.now();
    for (const text of texts) redactData(text + secret);
    for (const part of ['a://', 'a.', '://b@', '"']) redact(part.repeat(200_000));
    expect(performance.now() - from).toBeLessThan(60_000);
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
    expect(redact('postgres://me:hunter2@db/x')).toBe('postgres://[redacted]@db/x');
  });

  it.each([
    ['a token for a user name', 'https://sk_live_TOKEN@host', 'https://[redacted]@host'],
    ['a token and no password', 'https://sk_live_TOKEN:@host/v1', 'https://[redacted]@host/v1'],
    ['a password with an @', 'https://bob:hun@ter2SECRET@host', 'https://[redacted]@host'],
    ['a password with a /', 'postgres://u:s3cr/etPW@h:5432/db', 'postgres://[redacted]@h:5432/db'],
    ['a password with digits and a /', 'postgres://u.x:12/etPW@h/db', 'postgres://[redacted]@h/db'],
    ['a password with a ? and a #', 'https://bob:hun?ter#2@host/', 'https://[redacted]@host/'],
    ['a token with a /', 'https://sk_live/TOKEN@host', 'https://[redacted]@host'],
    ['a password with a quote', `https://bob:hun"ter'2@host`, 'https://[redacted]@host'],
    [
      'inside of another address',
      'https://a.example/?to=http://b:pw@c',
      'https://a.example/?to=http://[redacted]@c',
    ],
    ['in JSON', '{"a":"https://b:pw@c","m":"x@y.z"}', '{"a":"https://[redacted]@c","m":"x@y.z"}'],
    ['in JSON with slashes escaped', '"https:\\/\\/b:pw@c\\/d"', '"https:\\/\\/[redacted]@c\\/d"'],
    ['twice', 'https://a:b@c https://d@e', 'https://[redacted]@c https://[redacted]@e'],
  ])('hides %s in an address', (_what, text, expected) => {
    expect(createRedactor().redact(`see ${text} there`)).toBe(`see ${expected} there`);
  });

  it.each([
    'https://host.example/path?mail=a@b.example',
    'http://localhost:3000/hooks?mail=a@b.example',
    'http://127.0.0.1:4010/customers/ann@shop.example',
    'http://[::1]:4010/customers/ann@shop.example',
    'https://packages.example/@scope/package',
    'https://payments.example.com, ask ann@shop.example',
    '{"url":"https://payments.example.com","mail":"ann@shop.example"}',
    'ssh:me@server.example',
  ])('leaves %s as it is', (text) => {
    expect(createRedactor().redact(text)).toBe(text);
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
    const width = columns === undefined ? {} : { columns };
    const streams = createStreams({
      stdin: { isTTY } as StreamSource['stdin'],
      stdout: { isTTY, ...width, write: takesAll((text) => (written.out += text)) },
      stderr: { isTTY, ...width, write: takesAll((text) => (written.err += text)) },
      env,
      secrets: {
        add: () => {},
        redact: (text) => text.replaceAll('secret', '***'),
        redactData: (text) => text.replaceAll('key', '***'),
      },
    });
    return { streams, written };
  };

  it('know a terminal from a pipe', () => {
    expect(source(true, {}, 120).streams.stdout).toEqual({
      terminal: true,
      redraws: true,
      colour: true,
      width: 120,
    });
    expect(source(false).streams.stdout).toEqual({
      terminal: false,
      redraws: false,
      colour: false,
      width: 80,
    });
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

  it('write no line that is drawn over where TERM is dumb', () => {
    const { streams, written } = source(true, { TERM: 'dumb' });
    streams.status('Reading …');
    streams.writeError('Done.\n');
    expect(written.err).toBe('Done.\n');
  });

  it('take secrets out of stderr and leave data alone', () => {
    const { streams, written } = source(false);
    streams.write('a secret, a key');
    streams.writeError('a secret');
    expect(written).toEqual({ out: 'a secret, a ***', err: 'a ***' });
  });
});
