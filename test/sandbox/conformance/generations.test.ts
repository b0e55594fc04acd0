import { Client } from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, type Receiver, type TestSandbox } from '../../helpers/sandbox.js';
import { formToken, pageOf, sendForm } from '../../pages/forms.js';
import { onEveryStore } from './stores.js';

const moment = Date.UTC(2026, 10, 1, 12);
const MINUTE = 60_000;
const CUSTOMER = 'c1';

/** Ids, links and tokens of a payment and its customer. */
interface Identities {
  paymentId: number;
  checkout: string;
  form: string;
  panel: string;
  /** What the provider calls it. */
  provider: string[];
  events: string[];
}

/** Makes the first payment of the sandbox, or finds the one that an import brought, and pays it. */
async function payOne(
  sandbox: TestSandbox,
  receiver: Receiver,
  known?: { paymentId: number; redirectUrl: string },
): Promise<Identities> {
  const before = receiver.requests.length;
  const { paymentId, redirectUrl } = known ?? (await sandbox.create({ webhookUrl: receiver.url }));
  const form = formToken((await pageOf(redirectUrl)).text);
  await sandbox.pay(paymentId);
  await sandbox.settle();
  const { providerReferenceId, authorizeId, captureId } = (await sandbox.read(paymentId)).payInfo ?? {};
  const { body } = await sandbox.call('GET', `/customers/${CUSTOMER}/panel-link`);
  return {
    paymentId,
    checkout: new URL(redirectUrl).pathname,
    form,
    panel: new URL(String(body.url)).pathname,
    provider: [providerReferenceId, authorizeId, captureId].map(String),
    events: receiver.requests.slice(before).map((webhook) => String(webhook.body.eventId)),
  };
}

const all = ({ checkout, form, panel, provider, events }: Identities) => [
  checkout,
  form,
  panel,
  ...provider,
  ...events,
];

async function exported(sandbox: TestSandbox): Promise<string> {
  return (await sandbox.control('GET', '/export')).text;
}

const importing = (sandbox: TestSandbox, text: string) =>
  sandbox.control('POST', '/import', undefined, { raw: text });

onEveryStore((bench) => {
  const start = () => bench.start({ seed: 7, realNow: () => moment });

  test('the first one under a seed always has the same ids, links and tokens', async () => {
    expect(await payOne(await start(), await bench.receiver())).toEqual({
      paymentId: 100001,
      checkout: '/checkout/100001-170fddae7f96b3762e68fee5db64f32d',
      form: '09eef4e705d4ea8afb0114d3054c156a7e4b926f8579f3136a3927bf674e6f041',
      panel:
        '/panel/WyJhcHBfMGRlY2QwMzE4NTdiIiwiYzEiLDE3OTM1MzgwMDAwMDBd.cwJgLi0cBuEsIEKCZLNm4j7jBxiO5Y5yy-xRPHlZm_E',
      provider: ['ref_42fc679afba80fbb', 'aut_4c9e189093aa4f18', 'cap_5c417566198c8599'],
      events: [
        'evt_d3a7cda95de93c7edd852926',
        'evt_b3a37c95590c567da491ee6f',
        'evt_f03255fb6f7cf008b5771f48',
        'evt_681189c5ec0bc76a26ad8bc8',
      ],
    });
  });

  test('no id, link or token from before a reset or an import is given out again', async () => {
    const [sandbox, receiver] = [await start(), await bench.receiver()];
    const known = await sandbox.create({ webhookUrl: receiver.url });
    await sandbox.settle();
    const document = await exported(sandbox);
    const lives = [await payOne(sandbox, receiver, known)];
    for (let round = 0; round < 2; round++) {
      expect((await sandbox.control('POST', '/reset')).status).toBe(200);
      lives.push(await payOne(sandbox, receiver));
      expect((await importing(sandbox, document)).status).toBe(200);
      lives.push(await payOne(sandbox, receiver, await sandbox.read(known.paymentId)));
    }
    // All of them have the same id, and nothing else in common.
    expect(new Set(lives.map(({ paymentId }) => paymentId))).toEqual(new Set([known.paymentId]));
    const given = lives.flatMap(all);
    expect(new Set(given).size).toBe(given.length);
  });

  test('no id or key of an app that was added before a reset is given out again', async () => {
    const sandbox = await start();
    const added = async (isSandbox: boolean) => {
      const { body } = await sandbox.control('POST', '/apps', { friendlyName: 'Added', isSandbox });
      return [String(body['appId']), String(body['apiKey']).split('_').at(-1)];
    };
    const first = await sandbox.control('GET', '/apps');
    const given = await added(true);
    await sandbox.control('POST', '/reset');
    expect((await sandbox.control('GET', '/apps')).text).toBe(first.text);
    given.push(...(await added(false)));
    expect(new Set(given).size).toBe(4);
  });

  test('what follows a reset is the same in every run with the same seed', async () => {
    const run = async () => {
      const [sandbox, receiver] = [await start(), await bench.receiver()];
      await payOne(sandbox, receiver);
      await sandbox.control('POST', '/reset');
      return payOne(sandbox, receiver);
    };
    expect(await run()).toEqual(await run());
  });

  test('a page from before a reset neither shows nor pays the payment that has its id now', async () => {
    const sandbox = await start();
    const old = await sandbox.create({ amount: 1 });
    const page = formToken((await pageOf(old.redirectUrl)).text);
    await sandbox.control('POST', '/reset');
    const { paymentId, redirectUrl } = await sandbox.create({ amount: 9999 });
    expect(paymentId).toBe(old.paymentId);
    expect((await pageOf(old.redirectUrl)).status).toBe(404);
    const profile = String(sandbox.app.profiles[0]?.paymentProfileId);
    for (const address of [old.redirectUrl, redirectUrl]) {
      const answer = await sendForm(address, { formToken: page, profile, outcome: 'approved' });
      expect({ address, status: answer.status }).toEqual({
        address,
        status: address === redirectUrl ? 403 : 404,
      });
    }
    expect(await sandbox.states(paymentId)).toEqual(['Created']);
    expect(await sandbox.books(paymentId)).toEqual({});
  });

  if (bench.store === 'file') {
    test('what a restarted sandbox gives out stays valid', async () => {
      const location = await bench.location();
      const first = await bench.start({ location });
      await first.control('POST', '/reset');
      const { paymentId, redirectUrl } = await first.create();
      await first.close();
      const again = await bench.start({ location });
      expect(new URL((await again.read(paymentId)).redirectUrl).pathname).toBe(new URL(redirectUrl).pathname);
    });
  }

  if (bench.store === 'postgres') {
    describe('on a shared database', () => {
      test('every process sees at once that another one was reset or filled', async () => {
        const location = await bench.location();
        const [one, two] = [await bench.start({ location }), await bench.start({ location })];
        const receiver = await bench.receiver();
        const known = await one.create({ webhookUrl: receiver.url });
        const foreign = await (await bench.start()).control('GET', '/export');
        const renewals = [
          () => one.control('POST', '/reset'),
          // Brings another secret, and other apps with it.
          () => importing(one, foreign.text),
        ];
        for (const renew of renewals) {
          // The first thing that the other process hears of it is a page, the control API or the service.
          for (const first of ['page', 'control', 'service']) {
            expect((await renew()).status).toBe(200);
            const [app] = (await one.control<Array<{ appId: string; apiKey: string }>>('GET', '/apps')).body;
            const as = { appId: app?.appId ?? '', key: app?.apiKey ?? '' };
            const { paymentId, redirectUrl } = await one.create({}, as);
            expect(paymentId).toBe(known.paymentId);
            const link = new URL(redirectUrl).pathname;
            if (first === 'page') {
              expect({ first, status: (await pageOf(two.url + link)).status }).toEqual({
                first,
                status: 200,
              });
              continue;
            }
            const shown =
              first === 'control'
                ? (await two.read(paymentId)).redirectUrl
                : (await two.call('GET', `/payments/${paymentId}`, undefined, as)).body.redirectUrl;
            expect({ first, link: new URL(String(shown)).pathname }).toEqual({ first, link });
          }
        }
      });

      const connect = async (location: string) => {
        const client = new Client({ connectionString: location });
        await client.connect();
        onTestFinished(() => client.end());
        await client.query('set search_path to paydesk_sandbox');
        return client;
      };

      test.each(['reset', 'import'])('%s leaves nothing of what another process is writing', async (what) => {
        const location = await bench.location();
        const sandbox = await bench.start({ location });
        const document = await exported(sandbox);
        const client = await connect(location);
        await client.query('begin');
        await client.query('select now() from clock');
        await client.query(
          `insert into customers (app_id, customer_id, created_time) values ('${sandbox.app.appId}', 'late', 0)`,
        );
        const replacing = what === 'reset' ? sandbox.control('POST', '/reset') : importing(sandbox, document);
        const watcher = await connect(location);
        await eventually(async () => {
          const { rows } = await watcher.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          expect(rows).not.toEqual([]);
        });
        await client.query('commit');
        expect((await replacing).status).toBe(200);
        expect((await sandbox.control('GET', '/status')).body).toMatchObject({ customers: 0 });
      });

      test('two that are reset at the same moment start two generations', async () => {
        const location = await bench.location();
        const both = [await bench.start({ location }), await bench.start({ location })];
        const client = await connect(location);
        const answers = await Promise.all(both.map((sandbox) => sandbox.control('POST', '/reset')));
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        const { rows } = await client.query(`select value from settings where key = 'generation-number'`);
        expect(rows).toEqual([{ value: '2' }]);
      });

      test('a process that nobody has asked since gives webhooks new ids', async () => {
        let machine = moment;
        const location = await bench.location();
        const options = { location, realNow: () => machine };
        const [one] = [await bench.start(options), await bench.start(options)];
        const receiver = await bench.receiver();
        const { paymentId } = await one.create({ webhookUrl: receiver.url });
        await one.settle();
        await one.control('POST', '/reset');
        // Only the other process is left to send it again.
        receiver.next({ status: 500 });
        expect((await one.create({ webhookUrl: receiver.url })).paymentId).toBe(paymentId);
        await receiver.waitFor(2);
        await one.close();
        machine += MINUTE;
        await receiver.waitFor(3);
        const [first, , last] = receiver.requests.map(({ body }) => body.eventId);
        expect(last).not.toBe(first);
      });

      test('a process that nobody has asked since gives what a job makes new ids', async () => {
        let machine = moment;
        const location = await bench.location();
        const options = { location, realNow: () => machine };
        const [one, two] = [await bench.start(options), await bench.start(options)];
        const pay = async () => {
          const { paymentId } = await one.create();
          await one.pay(paymentId, 'slow-approved');
          return paymentId;
        };
        const idsOf = async (sandbox: TestSandbox, paymentId: number) => {
          const { payInfo } = await sandbox.read(paymentId);
          return [payInfo?.providerReferenceId, payInfo?.authorizeId, payInfo?.captureId];
        };
        const paymentId = await pay();
        await one.advance(MINUTE);
        const first = await idsOf(one, paymentId);
        await one.control('POST', '/reset');
        expect(await pay()).toBe(paymentId);
        await one.close();
        machine += MINUTE;
        const client = await connect(location);
        await eventually(async () => {
          const { rows } = await client.query('select state from payments');
          expect(rows).toEqual([{ state: 'Captured' }]);
        });
        const second = await idsOf(two, paymentId);
        expect(new Set([...first, ...second]).size).toBe(6);
      });
    });
  }
});
