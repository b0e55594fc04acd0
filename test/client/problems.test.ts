import { paydesk } from '../../src/next-command.js';
import { describe, expect, it } from 'vitest';
import { exitCodeOf, type PaydeskError } from '../../src/errors.js';
import { readAnswer } from '../../src/client/answers.js';
import { problemOf } from '../../src/client/problems.js';
import { caught, clientFor, httpServer } from '../helpers/servers.js';

const problem = (body: string, status = 422) =>
  problemOf(readAnswer({ kind: 'answer', status, headers: {}, body }));

describe('every shape of an error', () => {
  it.each<[string, { code?: string; message: string; fieldErrors?: object[] }]>([
    [
      '{"type":"about:blank","title":"Invalid","status":422,"detail":"Two fields.","code":"invalid-request","errors":[{"path":"amount","message":"is required"}]}',
      {
        code: 'invalid-request',
        message: 'Two fields.',
        fieldErrors: [{ path: 'amount', message: 'is required' }],
      },
    ],
    ['{"title":"Only a title"}', { message: 'Only a title' }],
    ['{"error":{"code":"c1","message":"No."}}', { code: 'c1', message: 'No.' }],
    ['{"error":{"code":42,"message":"No."}}', { code: '42', message: 'No.' }],
    [
      '{"error":{"message":"No.","details":[{"field":"a","message":"b"}]}}',
      { message: 'No.', fieldErrors: [{ path: 'a', message: 'b' }] },
    ],
    ['{"error":"Something broke"}', { message: 'Something broke' }],
    [
      '{"error":"invalid_grant","error_description":"Key expired"}',
      { code: 'invalid_grant', message: 'Key expired' },
    ],
    ['{"error":"Bad Request","message":"amount is wrong"}', { message: 'amount is wrong' }],
    ['{"message":"No."}', { message: 'No.' }],
    [
      '{"errors":["first","second"]}',
      {
        message: 'first',
        fieldErrors: [
          { path: '', message: 'first' },
          { path: '', message: 'second' },
        ],
      },
    ],
    [
      '{"errors":[{"field":"amount","message":"too big"},{"path":["a",0],"detail":"x"}]}',
      {
        message: 'too big',
        fieldErrors: [
          { path: 'amount', message: 'too big' },
          { path: 'a.0', message: 'x' },
        ],
      },
    ],
    [
      '{"errors":{"amount":["too big"]}}',
      { message: 'too big', fieldErrors: [{ path: 'amount', message: 'too big' }] },
    ],
    ['{"errors":[]}', { message: 'HTTP 422 {"errors":[]}' }],
    ['"just text"', { message: 'just text' }],
    ['No such thing\n', { message: 'No such thing' }],
    [
      '<!doctype html><html><head><title>502 Bad &amp; Gateway</title></head><body>x</body></html>',
      { message: '502 Bad & Gateway' },
    ],
    ['<h1>Not <b>here</b></h1><script>alert("x")</script>', { message: 'Not here' }],
    ['', { message: 'HTTP 422' }],
    ['null', { message: 'HTTP 422' }],
    ['{}', { message: 'HTTP 422' }],
    ['[1,2]', { message: 'HTTP 422 [1,2]' }],
    [
      '{"message":{"deep":1},"errors":7,"error":null}',
      { message: 'HTTP 422 {"message":{"deep":1},"errors":7,"error":null}' },
    ],
  ])('%s', (body, expected) => {
    const { body: _, ...understood } = problem(body);
    expect(understood).toEqual({ httpStatus: 422, fieldErrors: [], ...expected });
  });

  it('is kept short', () => {
    for (const body of [
      'x '.repeat(50_000),
      `<p>${'y'.repeat(100_000)}</p>`,
      JSON.stringify({ message: 'z'.repeat(9_999) }),
    ]) {
      expect(problem(body).message.length).toBeLessThanOrEqual(300);
    }
  });

  it('is read in a moment, whatever is sent', () => {
    const from = performance.now();
    for (const body of [
      '<'.repeat(200_000),
      '<script '.repeat(50_000),
      '<title'.repeat(50_000),
      ' '.repeat(500_000) + '<a',
    ]) {
      problem(body);
    }
    expect(performance.now() - from).toBeLessThan(60_000);
  });
});

describe('the error that is thrown', () => {
  const answered = async (status: number, body: string, headers: Record<string, string> = {}) => {
    const server = await httpServer((_seen, response) => void response.writeHead(status, headers).end(body));
    return (await caught(clientFor(server.url).getPayment({ paymentId: '7' }))) as PaydeskError;
  };

  it.each([
    [401, 'ProfileError', 4],
    [403, 'ProfileError', 4],
    [404, 'ServiceError', 1],
    [400, 'ServiceError', 1],
    [422, 'ServiceError', 1],
    [429, 'TemporaryError', 5],
    [503, 'TemporaryError', 5],
  ])('%s is a %s with exit %s', async (status, name, exit) => {
    for (const body of ['{"message":"No."}', '', '<html><title>No.</title></html>', '{"error":"No."}']) {
      const error = await answered(status, body);
      expect(error).toMatchObject({ name, httpStatus: status });
      expect(exitCodeOf(error)).toBe(exit);
    }
  });

  it('says what to type after a bad key, and that a 404 may be one', async () => {
    expect((await answered(401, '')).next).toEqual([paydesk('whoami'), paydesk('doctor')]);
    const missing = await answered(404, '');
    expect(missing).toMatchObject({ code: 'not-found', message: expect.stringContaining('no payment 7') });
    expect(missing.message).toContain('wrong key');
  });

  it('has the fields and the id of the request', async () => {
    const body = '{"code":"invalid-request","detail":"No.","errors":[{"path":"a","message":"b"}]}';
    expect(await answered(400, body, { 'x-request-id': 'r-1' })).toMatchObject({
      code: 'invalid-request',
      details: { fieldErrors: [{ path: 'a', message: 'b' }], requestId: 'r-1' },
    });
  });

  it.each([
    [
      '{"fault":{"faultstring":"quota"}}',
      'HTTP 400 {"fault":{"faultstring":"quota"}}',
      { fault: { faultstring: 'quota' } },
    ],
    ['[1,2]', 'HTTP 400 [1,2]', [1, 2]],
    ['<h1>No</h1> and more', 'No and more', '<h1>No</h1> and more'],
  ])('keeps the body %s', async (body, message, kept) => {
    const error = await answered(400, body);
    expect(error.message).toBe(`The service refused: ${message}`);
    expect(error.details).toMatchObject({ body: kept });
  });

  it('shortens a body that it does not know in the message alone', async () => {
    const long = { odd: 'x'.repeat(1000) };
    const error = await answered(400, JSON.stringify(long));
    expect(error.message.length).toBeLessThan(160);
    expect(error.details).toEqual({ body: long });
  });

  it('keeps nothing more of a body that it knows', async () => {
    expect((await answered(400, '{"message":"No.","extra":1}')).details).toBeUndefined();
  });
});
