import { describe, expect, it } from 'vitest';
import CustomersCreate from '../../../src/commands/customers/create.js';
import CustomersGet from '../../../src/commands/customers/get.js';
import CustomersList from '../../../src/commands/customers/list.js';
import CustomersMethods from '../../../src/commands/customers/methods.js';
import CustomersPanelLink from '../../../src/commands/customers/panel-link.js';
import CustomersRemoveMethod from '../../../src/commands/customers/remove-method.js';
import CustomersStopAutoPayment from '../../../src/commands/customers/stop-auto-payment.js';
import CustomersUpdate from '../../../src/commands/customers/update.js';
import { answerVariants } from '../../../src/sandbox/answers.js';
import { closedPort, httpServer, json } from '../../helpers/servers.js';
import { unprintable } from '../../helpers/printable.js';
import { errorOf, openCustomersDesk } from './customers-desk.js';

const onOne = [
  ['get', CustomersGet, ['nobody']],
  ['update', CustomersUpdate, ['nobody', '--first-name', 'X']],
  ['methods', CustomersMethods, ['nobody']],
  ['remove-method', CustomersRemoveMethod, ['nobody', '5']],
  ['stop-auto-payment', CustomersStopAutoPayment, ['nobody', '5']],
  ['panel-link', CustomersPanelLink, ['nobody']],
] as const;
const all = [
  ...onOne,
  ['create', CustomersCreate, ['--customer', 'nobody', '--fraud-policy', '99']],
  ['list', CustomersList, ['--all']],
] as const;

describe.each(answerVariants.errors)('errors in the shape: %s', async (variant) => {
  const desk = await openCustomersDesk({ errors: variant });

  it('are told by every command on a customer who is not there', async () => {
    for (const [, Class, argv] of onOne) {
      const refused = await desk.run(Class, [...argv, '--json']);
      expect(errorOf(refused)).toMatchObject({ exit: 1, code: 'not-found', httpStatus: 404 });
      if (argv.length === 1) expect(errorOf(refused)?.next).toContain('paydesk customers find nobody');
      const told = await desk.run(Class, [...argv]);
      expect(told).toMatchObject({ code: 1, stdout: '' });
      expect(told.stderr).toContain('There is no customer nobody in app');
    }
    const refused = await desk.run(CustomersCreate, ['--customer', 'x', '--fraud-policy', '99', '--json']);
    expect(errorOf(refused)).toMatchObject({ exit: 1, httpStatus: 400 });
  });
});

describe.each(answerVariants.auth)('keys that are refused in the way: %s', async (variant) => {
  const desk = await openCustomersDesk({ auth: variant });

  it.each(all)('customers %s', async (_name, Class, argv) => {
    const keys = [{ PAYDESK_API_KEY: 'sk_wrong_key' }, { PAYDESK_API_KEY: desk.sandbox.live.apiKey }];
    for (const env of keys) {
      const refused = await desk.run(Class, [...argv, '--json'], { env });
      const code = variant === 'not-found' ? 1 : 4;
      expect(refused.code).toBe(code);
      // A list may have begun: its error is on stderr then.
      expect(refused.stdout + refused.stderr).toMatch(/paydesk doctor/);
    }
  });
});

describe('a service that cannot be reached', async () => {
  const desk = await openCustomersDesk();

  it.each(all)('customers %s', async (_name, Class, argv) => {
    const env = { PAYDESK_BASE_URL: `http://127.0.0.1:${await closedPort()}` };
    const failed = await desk.run(Class, [...argv], { env });
    expect(failed).toMatchObject({ code: 5, stdout: '' });
    expect(failed.stderr).toContain('the connection was refused');
  });
});

describe('hostile text', async () => {
  const evil = 'A\u001B[2J\u202Egnp.exe\u0007\r\n\tB\u200B\u0085\uD800';
  const desk = await openCustomersDesk();

  it.each(all)('moves no cursor in customers %s', async (name, Class, argv) => {
    const customer = {
      customerId: argv[0] === '--customer' ? argv[1] : 'nobody',
      firstName: evil,
      [evil]: evil,
      email: evil,
      app: { friendlyName: evil, appId: 'app-1', isSandbox: true },
    };
    const method = {
      paymentMethodId: 5,
      customerAutomaticProfileId: 5,
      paymentMethodType: evil,
      card: { cardBrand: evil },
    };
    const good = await httpServer((seen, response) => {
      if (seen.url.includes('panel-link'))
        return json(response, 200, { url: 'https://x.example/p', expiresTime: evil });
      if (seen.url.includes('payment-methods')) return json(response, 200, [method]);
      return json(response, 200, seen.method === 'GET' && name === 'list' ? [customer] : customer);
    });
    const bad = await httpServer((_seen, response) => json(response, 400, { message: evil, code: evil }));
    for (const { url } of [good, bad]) {
      const env = { PAYDESK_BASE_URL: url, PAYDESK_APP_ID: 'app-1' };
      for (const more of [[], ['--json'], ['--debug'], ...(name === 'list' ? [['--csv']] : [])]) {
        for (const terminal of [false, true]) {
          const noInput = terminal ? ['--no-input'] : [];
          const { stdout, stderr } = await desk.run(Class, [...argv, ...more, ...noInput], { env, terminal });
          expect(unprintable(stdout, '\n\t')).toEqual([]);
          expect(unprintable(stderr, '\n')).toEqual([]);
        }
      }
    }
  });
});
