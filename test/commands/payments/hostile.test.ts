import { expect, it } from 'vitest';
import { httpServer } from '../../helpers/servers.js';
import { unprintable } from '../../helpers/printable.js';
import { createFlags, payments } from '../../helpers/desk.js';

const evil = '\u001B[2J\u001B]0;owned\u0007\u202Egnp.exe\u0000\r\nfake: line\u2028\u{E0041}';

/** A service whose every text tries to take over the terminal. */
const hostile = (state: string, failing: boolean) =>
  httpServer((request, response) => {
    if (request.url.includes('/customers/')) return response.writeHead(404).end();
    if (failing && request.method === 'POST') {
      const problem = { title: evil, detail: evil, code: evil, errors: [{ path: evil, message: evil }] };
      return response.writeHead(422, { 'x-request-id': 'r-1' }).end(JSON.stringify(problem));
    }
    const created = request.method === 'POST' && request.body !== '';
    if (!created && request.url.includes('referenceId:new')) return response.writeHead(404).end();
    const payment = {
      paymentId: 100231,
      paymentState: state,
      referenceId: created ? (JSON.parse(request.body) as { referenceId: string }).referenceId : undefined,
      amount: 10.1,
      currency: 'EUR',
      fraudStatus: evil,
      paymentFlow: evil,
      redirectUrl: `https://pay.example/${evil}`,
      payInfo: {
        payer: { email: evil, card: { cardBrand: evil } },
        paymentProfile: { paymentProfileName: evil },
      },
      failureReason: evil,
      [evil]: { [evil]: evil },
    };
    return response.writeHead(200).end(JSON.stringify(payment));
  });

const calls: Array<[string, string[]]> = [
  ['get', ['100231']],
  ['get', ['100231', '100231']],
  ['create', createFlags('new-1')],
  ['charge', ['--customer', 'c', '--amount', '10.10', '--reference', 'new-2']],
  ['capture', ['100231']],
  ['cancel', ['100231']],
  ['refund', ['100231']],
  ['unhold', ['100231']],
  ['recheck', ['100231']],
  ['explain', ['100231']],
  ['explain', ['100231', '100231']],
  ['explain', ['100231', '--as-reply']],
  ['watch', ['100231', '--timeout', '20ms']],
];

const states = [evil, 'Captured', 'Declined', 'Authorised'];
const flags = [[], ['--json'], ['--debug']];
/** Each state with each flag; of all four choices, every two values meet at least once. */
const choices = states.flatMap((state, row) =>
  flags.map((more, column) => ({
    state,
    more,
    failing: (row + column) % 2 === 1,
    terminal: ((row >> 1) + column) % 2 === 1,
  })),
);

it.each(calls)('nothing that the service says moves the cursor: %s %j', async (verb, args) => {
  for (const { state, more, failing, terminal } of choices) {
    const { url } = await hostile(state, failing);
    const env = {
      PAYDESK_BASE_URL: url,
      PAYDESK_APP_ID: 'a',
      PAYDESK_API_KEY: 'key-1234',
      PAYDESK_KIND: 'sandbox',
      // On a slow machine it says what it waits for, in a line that is drawn again.
      TERM: 'dumb',
    };
    const { stdout, stderr, code } = await payments(env, verb, [...args, ...more], {
      terminal,
      columns: 1_000,
    });
    const seen = stdout + stderr;
    expect(seen).not.toBe('');
    expect(unprintable(seen, '\n\t')).toEqual([]);
    // An error is a paragraph, and may break at a space of its own.
    expect(code === 0 ? seen : stdout).not.toMatch(/^\s*fake: line/m);
  }
});
