import { paydesk } from '../../../../next-command.js';
import type { CommandTemplate } from '../../../console/commands.js';
import type { Hono } from 'hono';
import { isStateName } from '../../../../contract/states.js';
import {
  guessSearch,
  listPayments,
  searchKinds,
  type PaymentFilter,
  type PaymentSearch,
} from '../../../console/payment-list.js';
import { timelinePath, readTimeline } from '../../../console/timeline.js';
import type { App } from '../../../domain/apps.js';
import { readBooks } from '../../../domain/providers.js';
import type { SandboxEngine } from '../../../engine.js';
import type { PaymentRow } from '../../../schema.js';
import {
  FORM_PURPOSE,
  sections,
  showConsole,
  showNothing,
  typedForm,
  type ConsoleTools,
} from './console-frame.js';
import { paymentOfPage } from './payment-actions.js';
import { PaymentPage } from './payment-page.js';
import { PaymentsPage } from './payments-page.js';

export function addPaymentRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine, commands } = desk;

  routes.get('/', async (c) => {
    const { q = '', by = '', state, app, key } = c.req.query();
    const text = q.trim().normalize('NFC');
    const appId = app || undefined;
    const filter: PaymentFilter = {
      state: isStateName(state) ? state : undefined,
      app: appId,
      search: text === '' ? undefined : await searchOf(engine, text, by, appId),
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
        create={await createCommand(desk)}
        seed={commands.seed}
      />,
    );
  });

  routes.get('/payments/:id', async (c) => {
    const payment = await paymentOfPage(engine, c.req.param('id'));
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
        path={await timelinePath(engine, id)}
        story={await readTimeline(engine, id, key)}
        books={await engine.read((work) => readBooks(work, id))}
        checkout={hosted ? desk.addresses.checkout(payment) : undefined}
        webhook={await lastWebhook(engine, payment)}
        now={now}
        isFirst={key === undefined}
        commands={commands}
        token={desk.forms.token(FORM_PURPOSE)}
        typed={{
          clock: typedForm(c, desk, sections.clock.path),
          fault: typedForm(c, desk, sections.faults.path),
        }}
      />,
    );
  });
}

/** With the profile of the first app, where there is one. */
async function createCommand({ engine, commands }: ConsoleTools): Promise<CommandTemplate> {
  const [first] = await engine.apps.all();
  return (
    (first && commands.desk(first.app_id, ['payments', 'create'])) ?? paydesk('payments', 'create').words
  );
}

async function searchOf(
  engine: SandboxEngine,
  text: string,
  by: string,
  app: string | undefined,
): Promise<PaymentSearch> {
  const kind = searchKinds.find((each) => each === by);
  return kind === undefined ? guessSearch(engine, text, app) : { by: kind, text };
}

async function lastWebhook(engine: SandboxEngine, payment: PaymentRow): Promise<number | undefined> {
  const event = await engine.store.db
    .selectFrom('events')
    .select(['id', 'url'])
    .where('payment_id', '=', payment.payment_id)
    .where('version', '=', payment.version)
    .executeTakeFirst();
  return event && event.url !== null ? event.id : undefined;
}
