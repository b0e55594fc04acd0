import type { Hono } from 'hono';
import {
  customerSearchKinds,
  guessCustomerSearch,
  listAllCustomers,
} from '../../../console/customer-list.js';
import { listPayments } from '../../../console/payment-list.js';
import { findCustomer } from '../../../domain/customers.js';
import { listMethods } from '../../../domain/methods.js';
import { PANEL_LINK_MS } from '../../addresses.js';
import { showConsole, showNothing, type ConsoleTools } from './console-frame.js';
import { CustomerPage } from './customer-page.js';
import { CustomersPage } from './customers-page.js';

const MAX_PAYMENTS_SHOWN = 10;

export function addCustomerRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine } = desk;

  routes.get('/customers', async (c) => {
    const { q = '', by = '', app, key } = c.req.query();
    const text = q.trim().normalize('NFC');
    const kind = customerSearchKinds.find((each) => each === by);
    const appId = app || undefined;
    const search =
      text === '' ? undefined : kind ? { by: kind, text } : await guessCustomerSearch(engine, text, appId);
    const filter = { app: appId, search };
    return showConsole(
      c,
      desk,
      { section: 'customers', title: 'Customers', width: 'full' },
      <CustomersPage
        apps={await engine.apps.all()}
        filter={filter}
        typed={{ text, by }}
        page={await listAllCustomers(engine, filter, key)}
        isFirst={key === undefined}
      />,
    );
  });

  routes.get('/customers/one', async (c) => {
    const { app: appId = '', id = '' } = c.req.query();
    const app = await engine.apps.byId(appId);
    const customer = await engine.read((work) => findCustomer(work, appId, id));
    if (!app || !customer) return showNothing(c, desk);
    const { now } = await engine.clock.read();
    const newest = await listPayments(
      engine,
      { app: appId, search: { by: 'customer', text: id } },
      undefined,
      MAX_PAYMENTS_SHOWN,
    );
    return showConsole(
      c,
      desk,
      { section: 'customers', title: `Customer ${id}` },
      <CustomerPage
        app={app}
        customer={customer}
        methods={await engine.read((work) => listMethods(work, appId, id))}
        payments={newest.rows}
        panel={desk.addresses.panel(appId, id, now + PANEL_LINK_MS)}
        commands={desk.commands}
      />,
    );
  });
}
