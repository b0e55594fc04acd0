import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerVariants, defaultAnswers, webhookMessage } from '../../src/sandbox/answers.js';
import { namePayment, type RequestParts } from '../../src/webhooks/inbox/name-payment.js';

const BIG = '90071992547409931234';

function named(parts: Partial<Omit<RequestParts, 'body'>> & { body?: string | Uint8Array }) {
  const { body = '', ...rest } = parts;
  return namePayment({
    path: '',
    query: '',
    headers: [],
    ...rest,
    body: typeof body === 'string' ? Buffer.from(body) : body,
  });
}

describe('the payment that a webhook speaks of', () => {
  it.each(['a\u0000b', 'a\uD800b'])('has no name that a database cannot keep: %j', (odd) => {
    const body = JSON.stringify({ referenceId: odd, paymentState: odd, eventId: odd });
    const nothing = { paymentId: null, referenceId: null, saidState: null, eventId: null };
    expect(named({ body })).toMatchObject(nothing);
    expect(named({ path: '/a%00b' })).toMatchObject(nothing);
  });

  it.each(answerVariants['webhook-body'])('is found in the sandbox’s own body: %s', (variant) => {
    const facts = {
      eventId: 'evt_1',
      appId: 'app_1',
      paymentId: 100231,
      referenceId: 'inv-2041',
      paymentState: 'Captured' as const,
      time: 0,
    };
    const message = webhookMessage({ ...defaultAnswers, 'webhook-body': variant }, facts);
    const found = named({
      query: new URLSearchParams(message.query).toString(),
      headers: Object.entries(message.headers),
      body: message.body,
    });
    const byId = variant !== 'reference-id';
    const byReference = variant !== 'payment-id';
    const whole = ['full', 'nested', 'form'].includes(variant);
    expect(found).toEqual({
      paymentId: byId ? '100231' : null,
      referenceId: byReference ? 'inv-2041' : null,
      namedBy: variant === 'query' ? 'query' : variant === 'form' ? 'form' : 'json',
      saidState: whole ? 'Captured' : null,
      eventId: whole ? 'evt_1' : null,
    });
  });

  it.each<[string, string]>([
    ['an id beyond 2^53', `{"paymentId":${BIG}}`],
    ['an id beyond 2^53 as text', `{"payment_id":"${BIG}"}`],
    ['deep within', `{"event":{"data":{"object":{"payment":{"id":${BIG}}}}}}`],
    ['by its kind', `{"type":"event","data":{"object":"payment","id":${BIG}}}`],
    ['in a list', `[{"PaymentId":${BIG}}]`],
    ['as the value of payment', `{"payment":${BIG}}`],
    ['in JSON within JSON', `{"Message":"{\\"paymentId\\":${BIG}}"}`],
    ['bare', BIG],
    ['after a byte order mark', `\uFEFF{"paymentId":${BIG}}`],
    ['in a form with brackets', `data%5Bpayment%5D%5BpaymentId%5D=${BIG}`],
    ['in a form with JSON', `payload=${encodeURIComponent(`{"paymentId":${BIG}}`)}`],
  ])('is found %s, exactly', (_, body) => {
    expect(named({ body }).paymentId).toBe(BIG);
  });

  it('is found in the path, which names a reference unless it says otherwise', () => {
    expect(named({ path: '/inv-2041' })).toMatchObject({ referenceId: 'inv-2041', namedBy: 'path' });
    expect(named({ path: '/a%2Fb%20c/' })).toMatchObject({ referenceId: 'a/b c', paymentId: null });
    expect(named({ path: '/123' })).toMatchObject({ referenceId: '123', paymentId: null });
    expect(named({ path: '/id:123' })).toMatchObject({ paymentId: '123', referenceId: null });
    expect(named({ path: '/%zz' })).toMatchObject({ referenceId: '%zz' });
  });

  it('is found in the query', () => {
    expect(named({ query: `a=1&paymentId=${BIG}` })).toMatchObject({ paymentId: BIG, namedBy: 'query' });
    expect(named({ query: 'reference=inv%2B1' })).toMatchObject({ referenceId: 'inv+1', namedBy: 'query' });
  });

  it('is found in a body that was packed or written wide', () => {
    const body = gzipSync(`{"paymentId":${BIG}}`);
    expect(named({ headers: [['Content-Encoding', 'gzip']], body }).paymentId).toBe(BIG);
    const wide = Buffer.from(`\uFEFF{"paymentId":${BIG}}`, 'utf16le');
    expect(named({ body: wide }).paymentId).toBe(BIG);
  });

  it('prefers what stands higher', () => {
    const body = '{"paymentId":1,"previous":{"paymentId":2},"state":"Captured"}';
    expect(named({ body })).toMatchObject({ paymentId: '1', saidState: 'Captured' });
  });

  it('takes the id of an envelope for the event’s, and one in a header too', () => {
    expect(named({ body: '{"id":"evt_9","data":{"paymentId":1}}' }).eventId).toBe('evt_9');
    expect(named({ headers: [['Webhook-Id', 'msg_1']], body: '{"paymentId":1}' }).eventId).toBe('msg_1');
  });

  it('knows a state by its number alone', () => {
    expect(named({ body: '{"paymentId":1,"paymentStateId":7}' }).saidState).toBe('Captured');
  });

  it.each([
    ['nothing', ''],
    ['other JSON', '{"hello":"world"}'],
    ['text', 'hello world'],
    ['an id that is none', '{"paymentId":"abc"}'],
    ['a negative id', '{"paymentId":-5}'],
    ['bytes', Buffer.from([0xff, 0x00, 0xfe, 0x80])],
    ['JSON that never ends', '['.repeat(500_000)],
    ['a bomb', gzipSync(Buffer.alloc(50 * 1024 * 1024))],
  ])('is none for %s', (what, body) => {
    const headers: Array<[string, string]> = what === 'a bomb' ? [['content-encoding', 'gzip']] : [];
    expect(named({ body, headers })).toMatchObject({ paymentId: null, referenceId: null, namedBy: null });
  });
});
