import { describe, expect, it } from 'vitest';
import { ExactNumber, numberText, parseJson } from '../../src/contract/json.js';
import {
  decodeCustomer,
  decodeLink,
  decodeMethods,
  decodePayment,
  isOtherPayment,
  readAnswer,
} from '../../src/client/answers.js';
import { canonicalState } from '../../src/contract/states.js';
import { APP, caught, clientFor, httpServer, json } from '../helpers/servers.js';

const answer = (body: string, headers: Record<string, string> = {}, status = 200) =>
  readAnswer({ kind: 'answer', status, headers, body });

describe('a payment in an answer', () => {
  it.each([
    '{"paymentId":7,"paymentState":"Held"}',
    '{"payment":{"paymentId":7,"paymentState":"Held"}}',
    '{"data":{"paymentId":7,"paymentState":"Held"}}',
    '{"data":{"payment":{"paymentId":7,"paymentState":"Held"}}}',
    '{"result":{"paymentId":"7","paymentState":"Held"}}',
    '[{"paymentId":7,"paymentState":"Held"}]',
    '  {"paymentId":7,"paymentState":"Held","amount":null,"payInfo":"odd","autoCapture":"yes"}\n',
  ])('%s', (body) => {
    expect(decodePayment(answer(body, { 'content-type': 'text/plain' }).raw)?.fields).toEqual({
      paymentId: 7,
      paymentState: 'Held',
    });
  });

  it.each(['', 'null', '{}', '{"result":"ok"}', '[]', '7', '"x"', '<html>', '{"data":[]}', '{"paymentId":'])(
    'not there: %s',
    (body) => {
      expect(decodePayment(answer(body).raw)).toBeUndefined();
    },
  );

  it('keeps numbers exact and unknown fields', () => {
    const body = '{"paymentId":9007199254740993,"amount":10.10,"capturedAmount":"10.10","extra":{"n":1.0}}';
    const found = decodePayment(answer(body).raw);
    expect(numberText(found!.fields.paymentId!)).toBe('9007199254740993');
    expect(found!.fields.amount).toEqual(new ExactNumber('10.10'));
    expect(found!.fields.capturedAmount).toEqual(new ExactNumber('10.10'));
    expect(JSON.stringify(found!.object)).toBe(body);
  });

  it('survives nesting that is too deep to read, and keys with special names', () => {
    expect(answer('['.repeat(200_000) + ']'.repeat(200_000))).toMatchObject({
      raw: undefined,
      readable: false,
    });
    expect(decodePayment(parseJson('{"__proto__":{"paymentId":7}}'))).toBeUndefined();
    expect(decodePayment(parseJson('{"constructor":1,"toString":2}'))).toBeUndefined();
  });

  it('is compared with the one asked for', () => {
    const fields = { paymentId: new ExactNumber('9007199254740993'), referenceId: 'a' };
    expect(isOtherPayment(fields, { paymentId: '9007199254740993' })).toBe(false);
    expect(isOtherPayment(fields, { paymentId: '9007199254740992' })).toBe(true);
    expect(isOtherPayment({ paymentId: 7 }, { paymentId: '007' })).toBe(false);
    expect(isOtherPayment(fields, { referenceId: 'a' })).toBe(false);
    expect(isOtherPayment(fields, { referenceId: 'A' })).toBe(true);
    expect(isOtherPayment({}, { paymentId: '7', referenceId: 'a' })).toBe(false);
  });
});

describe('other answers', () => {
  it('customers', () => {
    expect(decodeCustomer(parseJson('{"customer":{"customerId":"c","email":true,"x":1}}'))).toEqual({
      fields: { customerId: 'c' },
      object: { customerId: 'c', email: true, x: 1 },
    });
    expect(decodeCustomer(parseJson('{"customerId":12}'))?.fields.customerId).toBe('12');
  });

  it.each([
    '[{"paymentMethodId":5},{"paymentMethodId":6}]',
    '{"items":[{"paymentMethodId":5},{"paymentMethodId":"6"}]}',
    '{"data":{"items":[{"paymentMethodId":5},{"paymentMethodId":6}]}}',
    '[5,6]',
    '["5","6"]',
    '{"items":[5,6]}',
  ])('stored methods: %s', (body) => {
    expect(decodeMethods(parseJson(body))?.map(({ fields }) => fields.paymentMethodId)).toEqual([5, 6]);
  });

  it.each([
    ['{"url":"https://x.example/p","expiresTime":"2026-12-01T00:00:00Z"}', '2026-12-01T00:00:00Z'],
    ['"https://x.example/p"', undefined],
    ['{"panelLink":"https://x.example/p"}', undefined],
    ['{"link":"https://x.example/p"}', undefined],
    ['{"data":{"url":"https://x.example/p"}}', undefined],
  ])('a panel link: %s', (body, expiresTime) => {
    const link = decodeLink(answer(body).raw);
    expect(link).toEqual({ url: 'https://x.example/p', ...(expiresTime ? { expiresTime } : {}) });
  });

  it.each(['', '{}', '"no link"', '{"url":5}', '{"url":"javascript:alert(1)"}', '[]', '<html>'])(
    'no panel link: %s',
    (body) => {
      expect(decodeLink(answer(body).raw)).toBeUndefined();
    },
  );

  it('the id of the request is taken from headers, then from the body', () => {
    expect(answer('{}', { 'x-request-id': 'a' }).requestId).toBe('a');
    expect(answer('{}', { 'request-id': 'a' }).requestId).toBe('a');
    expect(answer('{}', { 'x-correlation-id': 'a' }).requestId).toBe('a');
    expect(answer('{"requestId":"b"}').requestId).toBe('b');
    expect(answer('{"error":{"request_id":"b"}}').requestId).toBe('b');
    expect(answer('{}').requestId).toBeUndefined();
  });
});

describe('state names', () => {
  it('are ours, aliased, or unknown, and never guessed', () => {
    const aliases = { OnHold: 'Held', Authorized: 'Authorised' } as const;
    expect(canonicalState('Captured', aliases)).toBe('Captured');
    expect(canonicalState('OnHold', aliases)).toBe('Held');
    expect(canonicalState('onhold', aliases)).toBeUndefined();
    expect(canonicalState('captured')).toBeUndefined();
    expect(canonicalState('toString', aliases)).toBeUndefined();
    expect(canonicalState(undefined)).toBeUndefined();
  });

  it('reach the reader with the payment', async () => {
    const server = await httpServer((_seen, response) =>
      json(response, 200, { paymentId: 7, paymentState: 'OnHold' }),
    );
    const { state, fields } = await clientFor(server.url, { aliases: { OnHold: 'Held' } }).getPayment({
      paymentId: '7',
    });
    expect([state, fields.paymentState]).toEqual(['Held', 'OnHold']);
  });
});

describe('a read that shows something else', () => {
  it.each<[unknown, string, string]>([
    [{ paymentId: 8 }, 'odd-answer', 'ServiceError'],
    [{ result: 'ok' }, 'odd-answer', 'ServiceError'],
    ['', 'odd-answer', 'ServiceError'],
    [{ paymentId: 7, appId: 'other' }, 'wrong-app', 'ProfileError'],
  ])('%j is an error', async (body, code, name) => {
    const server = await httpServer((_seen, response) => json(response, 200, body));
    expect(await caught(clientFor(server.url).getPayment({ paymentId: '7' }))).toMatchObject({ code, name });
  });

  it.each([
    [{ customerId: 'c', app: { appId: 'other' } }, 'wrong-app'],
    [{ customerId: 'c', app: { appId: APP, isSandbox: true } }, 'wrong-app'],
    [{ customerId: 'd' }, 'odd-answer'],
  ])('%j is an error for a live profile', async (body, code) => {
    const server = await httpServer((_seen, response) => json(response, 200, body));
    const client = clientFor(server.url, { kind: 'live' });
    expect(await caught(client.getCustomer('c'))).toMatchObject({ code });
  });

  it('an app that agrees, or says nothing, is fine', async () => {
    const bodies = [{ customerId: 'c', app: { appId: APP, isSandbox: false } }, { customerId: 'c' }];
    for (const body of bodies) {
      const server = await httpServer((_seen, response) => json(response, 200, body));
      const { object } = await clientFor(server.url, { kind: 'live' }).getCustomer('c');
      expect(object).toEqual(body);
    }
  });
});

describe('reading back', () => {
  it('happens only when the write did not show what it wrote', async () => {
    const server = await httpServer(({ method }, response) =>
      method === 'PATCH'
        ? response.writeHead(204).end()
        : json(response, 200, { customerId: 'c', firstName: 'A' }),
    );
    const client = clientFor(server.url);
    const { value } = await client.updateCustomer('c', { firstName: 'A' });
    const read = await client.readBackCustomer(value, 'c');
    expect(read.fields.firstName).toBe('A');
    expect(await client.readBackCustomer(read, 'c')).toBe(read);
    expect(server.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
  });
});

describe('ids in paths', () => {
  it('are encoded, and refused where a server could read them as another path', async () => {
    const server = await httpServer((_seen, response) => json(response, 200, { customerId: 'a/b?c#d é' }));
    const client = clientFor(server.url);
    await client.getCustomer('a/b?c#d é');
    expect(server.requests[0]?.url).toBe(`/api/apps/${APP}/customers/a%2Fb%3Fc%23d%20%C3%A9`);
    for (const id of ['', '.', '..', '\ud800']) {
      expect(await caught(client.getCustomer(id))).toMatchObject({ code: 'bad-id', name: 'UsageError' });
    }
    expect(server.requests).toHaveLength(1);
  });
});
