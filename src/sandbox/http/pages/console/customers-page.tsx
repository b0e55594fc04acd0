import type { RangePage } from '../../../console/ranges.js';
import type { CustomerFilter } from '../../../console/customer-list.js';
import { timeText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import type { App } from '../../../domain/apps.js';
import type { CustomerRow } from '../../../schema.js';
import { sections } from './console-frame.js';
import { Text } from '../text.js';
import { Count, Pager, withQuery } from './pieces.js';
import { SearchForm, type SearchFormProps } from './search-form.js';

export const customerPath = (app: string, id: string): string =>
  withQuery(`${sections.customers.path}/one`, { app, id });

interface CustomersProps {
  apps: App[];
  filter: CustomerFilter;
  typed: SearchFormProps['typed'];
  page: RangePage<CustomerRow>;
  isFirst: boolean;
}

const kinds = [
  ['', 'Anything'],
  ['id', 'Customer ID'],
  ['email', 'E-mail'],
  ['name', 'Name'],
] as const;

const found = {
  id: 'Customers whose ID begins with',
  email: 'Customers whose e-mail address begins with',
  name: 'Customers whose name begins with',
} as const;

export function CustomersPage({ apps, filter, typed, page, isFirst }: CustomersProps) {
  const { path } = sections.customers;
  return (
    <>
      <h1>Customers</h1>
      <SearchForm
        path={path}
        typed={typed}
        placeholder="c_ada or ada@example.org"
        kinds={kinds}
        apps={apps}
        app={filter.app}
        isFiltered={filter.app !== undefined || filter.search !== undefined}
      />
      <section class="card stack" id="customers" aria-label="Customers">
        {filter.search && (
          <p class="muted">
            {found[filter.search.by]}{' '}
            <strong>
              <Text of={shorten(filter.search.text, 60)} />
            </strong>
            .
          </p>
        )}
        {page.rows.length > 0 && <Count total={page.total} one="customer" />}
        {page.rows.length === 0 ? (
          <p>No matching customers.</p>
        ) : (
          <CustomerTable customers={page.rows} apps={apps} />
        )}
        <Pager
          path={path}
          query={{ q: filter.search?.text, by: filter.search?.by, app: filter.app }}
          next={page.next}
          isFirst={isFirst}
          older="More customers"
          first="First page"
        />
      </section>
    </>
  );
}

function CustomerTable({ customers, apps }: { customers: CustomerRow[]; apps: App[] }) {
  const nameOf = (id: string) => apps.find((app) => app.app_id === id)?.friendly_name ?? id;
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Customer</th>
            <th scope="col" class="roomy">
              E-mail
            </th>
            <th scope="col" class="roomy">
              App
            </th>
            <th scope="col" class="roomy">
              Since
            </th>
          </tr>
        </thead>
        <tbody>
          {customers.map((customer) => (
            <tr>
              <td>
                <a href={customerPath(customer.app_id, customer.customer_id)}>
                  <Text of={shorten(customer.customer_id, 32)} />
                </a>
                <span class="sub">
                  <Text of={shorten(nameText(customer), 40)} />
                </span>
                <span class="sub compact">
                  <Text of={shorten(customer.email ?? '', 40)} />
                </span>
              </td>
              <td class="roomy">
                <Text of={shorten(customer.email ?? '', 40)} />
              </td>
              <td class="roomy">
                <Text of={shorten(nameOf(customer.app_id), 24)} />
              </td>
              <td class="roomy when">{timeText(customer.created_time)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const nameText = ({ first_name, last_name }: CustomerRow): string =>
  [first_name, last_name].filter(Boolean).join(' ');
