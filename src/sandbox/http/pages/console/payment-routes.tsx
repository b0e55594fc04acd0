import type { Hono } from 'hono';
import { isStateName } from '../../../../contract/states.js';
import { fillCommand } from '../../../console/commands.js';
import {
  guessSearch,
  listPayments,
  searchKinds,
  type PaymentFilter,
  type PaymentSearch,
} from '../../../console/payment-list.js';
import { pathOf, readTimeline } from '../../../console/timeline.js';
import { check, payBody, providerBody } from '../../../control-requests.js';
import type { App } from '../../../domain/apps.js';
import { readPayment } from '../../../domain/payments.js';
import { books } from '../../../domain/providers.js';
import { Refusal } from '../../../domain/refusal.js';
import type { PaymentRow } from '../../../schema.js';
import { act, FORMS, sections, showConsole, showNothing, typedForm, type Desk } from './console-frame.js';
import { PaymentPage } from './payment-page.js';
import { PaymentsPage, paymentPath } from './payments-page.js';

export function addPaymentRoutes(routes: Hono, desk: Desk): void {
  const { engine, control, commands } = desk;

  routes.get('/', async (c) => {
    const { q = '', by = '', state, app, key } = c.req.query();
    const text = q.trim().normalize('NFC');
    const appId = app || undefined;
    const filter: PaymentFilter = {
      state: isStateName(state) ? state : undefined,
      app: appId,
      search: text === '' ? undefined : await searchOf(text, by, appId),
    };
    const page = await listPayments(engine, filter, key);
    return showConsole(
      c,
      desk,
      { section: 'payments', title: 'Payments', width: 'full', live: 'everything' },
      <PaymentsPage
        apps={await engine.apps.all()}
        filter={filter}
        typed={{ text, by }}
        page={page}
        isFirst={key === undefined}
        create={await createCommand()}
        seed={commands.seed}
      />,
    );
  });

  /** With the profile of the first app, where there is one. */
  async function createCommand(): Promise<string> {
    const [first] = await engine.apps.all();
    return (first && commands.desk(first.app_id, 'payments create')) ?? 'paydesk payments create';
  }

  async function searchOf(text: string, by: string, app: string | undefined): Promise<PaymentSearch> {
    const kind = searchKinds.find((each) => each === by);
    return kind === undefined ? guessSearch(engine, text, app) : { by: kind, text };
  }

  const find = async (id: string): Promise<PaymentRow | undefined> =>
    /^\d{1,15}$/.test(id) ? engine.read((work) => readPayment(work, { paymentId: Number(id) })) : undefined;

  routes.get('/payments/:id', async (c) => {
    const payment = await find(c.req.param('id'));
    if (!payment) return showNothing(c, desk);
    const { payment_id: id } = payment;
    const key = c.req.query('key');
    const { now } = await engine.clock.read();
    const hosted = payment.flow === 'HostedPage' || payment.flow === 'ProviderHostedPage';
    return showConsole(
      c,
      desk,
      { section: 'payments', title: `Payment ${id}: ${payment.state}`, width: 'full', live: id },
      <PaymentPage
        app={(await engine.apps.byId(payment.app_id)) as App}
        payment={payment}
        path={await pathOf(engine, id)}
        story={await readTimeline(engine, id, key)}
        books={await engine.read((work) => books(work, id))}
        checkout={hosted ? desk.addresses.checkout(payment) : undefined}
        webhook={await lastWebhook(payment)}
        now={now}
        isFirst={key === undefined}
        commands={commands}
        token={desk.forms.token(FORMS)}
        typed={{
          clock: typedForm(c, desk, sections.clock.path),
          fault: typedForm(c, desk, sections.faults.path),
        }}
      />,
    );
  });

  async function lastWebhook(payment: PaymentRow): Promise<number | undefined> {
    const event = await engine.store.db
      .selectFrom('events')
      .select(['id', 'url'])
      .where('payment_id', '=', payment.payment_id)
      .where('version', '=', payment.version)
      .executeTakeFirst();
    return event && event.url !== null ? event.id : undefined;
  }

  /** What a button does to the payment, and what the page then says. */
  function addAction(
    name: string,
    run: (
      payment: PaymentRow,
      form: URLSearchParams,
    ) => Promise<{ after: PaymentRow; did: string; command: string }>,
  ): void {
    routes.post(`/payments/:id/${name}`, (c) => {
      const id = c.req.param('id');
      const path = paymentPath(Number(id));
      return act(
        c,
        desk,
        async (form) => {
          const before = await find(id);
          if (!before) throw new Refusal('not-found', `There is no payment ${id}.`);
          const { after, did, command } = await run(before, form);
          return { back: path, text: `${did} ${movedText(before, after)}`, command };
        },
        path,
      );
    });
  }

  addAction('pay', async ({ payment_id: id }, form) => {
    const { card } = check(payBody, { card: form.get('card') });
    return {
      after: await control.pay(String(id), undefined, { card }),
      did: `The customer paid with the test card ${card}.`,
      command: fillCommand(commands.pay(id), { card }),
    };
  });

  addAction('challenge', async ({ payment_id: id }, form) => {
    const { challenge = 'failed' } = check(payBody, { challenge: form.get('result') });
    return {
      after: await control.pay(String(id), undefined, { challenge }),
      did:
        challenge === 'passed'
          ? 'The customer confirmed at the provider.'
          : 'The customer cancelled at the provider.',
      command: commands.challenge(id, challenge),
    };
  });

  addAction('provider', async ({ payment_id: id }, form) => {
    const { answer } = check(providerBody, { answer: form.get('answer') });
    return {
      after: await control.provider(String(id), undefined, answer),
      did: {
        confirm: 'The provider confirmed.',
        decline: 'The provider declined.',
        hold: 'The payment is held.',
      }[answer],
      command: commands.provider(id, answer),
    };
  });
}

const movedText = (before: PaymentRow, after: PaymentRow): string =>
  before.state === after.state ? `It is still ${after.state}.` : `${before.state} → ${after.state}.`;
