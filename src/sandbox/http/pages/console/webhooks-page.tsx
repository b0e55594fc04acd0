import type { RangePage } from '../../../console/ranges.js';
import { timeText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import { webhookFilters, type ListedWebhook, type WebhookFilter } from '../../../console/webhook-list.js';
import { StateBadge } from '../badge.js';
import { Text } from '../text.js';
import { sections } from './console-frame.js';
import { paymentPath } from './payments-page.js';
import { Count, Pager, withQuery } from './pieces.js';
import { answerText, OutcomeBadge } from './webhook-page.js';

export const webhookPath = (id: number): string => `${sections.webhooks.path}/${id}`;

interface WebhooksProps {
  outcome: WebhookFilter | undefined;
  page: RangePage<ListedWebhook>;
  isFirst: boolean;
}

export function WebhooksPage({ outcome, page, isFirst }: WebhooksProps) {
  const { path } = sections.webhooks;
  return (
    <>
      <h1>Webhooks</h1>
      <nav class="row" aria-label="Outcome">
        {[undefined, ...webhookFilters].map((each) => (
          <a
            class="button small"
            href={withQuery(path, { outcome: each })}
            {...(each === outcome && { 'aria-current': 'page' })}
          >
            {each ?? 'all'}
          </a>
        ))}
      </nav>
      <section class="card stack" id="webhooks" data-live aria-label="Webhooks">
        {page.rows.length > 0 && <Count total={page.total} one="webhook" />}
        {page.rows.length === 0 ? (
          <p>
            {outcome === undefined
              ? 'No webhooks yet. The sandbox sends one for each change of a payment that has a webhook address, or whose app has one.'
              : `No webhooks are ${outcome}.`}
          </p>
        ) : (
          <WebhookTable webhooks={page.rows} />
        )}
        <Pager
          path={path}
          query={{ outcome }}
          next={page.next}
          isFirst={isFirst}
          older="Earlier"
          first="Newest"
        />
      </section>
    </>
  );
}

function WebhookTable({ webhooks }: { webhooks: ListedWebhook[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Webhook</th>
            <th scope="col">Payment</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="roomy num">
              Attempts
            </th>
            <th scope="col" class="roomy">
              Last answer
            </th>
            <th scope="col" class="roomy">
              Time
            </th>
            <th scope="col" class="roomy">
              To
            </th>
          </tr>
        </thead>
        <tbody>
          {webhooks.map((webhook) => (
            <tr data-key={webhook.id}>
              <td>
                <a href={webhookPath(webhook.id)} id={`w${webhook.id}`}>
                  {webhook.id}
                </a>
              </td>
              <td>
                <a href={paymentPath(webhook.payment_id)}>{webhook.payment_id}</a>
                <span class="sub">
                  <StateBadge state={webhook.to_state} />
                </span>
              </td>
              <td>
                <OutcomeBadge event={webhook} />
              </td>
              <td class="roomy num">{webhook.attempts}</td>
              <td class="roomy">
                <Text of={webhook.last ? shorten(answerText(webhook.last), 60) : 'not sent yet'} />
              </td>
              <td class="roomy when">{timeText(webhook.time)}</td>
              <td class="roomy">
                <Text of={shorten(webhook.url ?? '', 48)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
