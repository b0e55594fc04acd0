import type { Commands } from '../../../console/commands.js';
import { durationText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import type { WebhookStory } from '../../../console/webhook-list.js';
import type { AttemptRow, EventRow } from '../../../schema.js';
import { StateBadge } from '../badge.js';
import { Form } from '../form.js';
import { plain, Text } from '../text.js';
import { CommandBlock } from './command.js';
import { sections } from './console-frame.js';
import { Fact, Pager, Time } from './pieces.js';

interface WebhookProps {
  story: WebhookStory;
  isFirst: boolean;
  commands: Commands;
  token: string;
}

export function WebhookPage({ story: { event, deliveries }, isFirst, commands, token }: WebhookProps) {
  return (
    <>
      <section class="card stack" id="webhook" data-live aria-labelledby="webhook-title">
        <div class="row apart">
          <h1 id="webhook-title">Webhook {event.id}</h1>
          <OutcomeBadge event={event} />
        </div>
        <dl class="pairs">
          <Fact name="Payment">
            <a href={`${sections.payments.path}/payments/${event.payment_id}`}>{event.payment_id}</a>
          </Fact>
          <Fact name="Change">
            <StateBadge state={event.to_state} /> at <Time at={event.time} />
          </Fact>
          <Fact name="To">
            <Text of={event.url ?? 'no address, so it was never sent'} />
          </Fact>
          {event.finished === 0 && (
            <Fact name="Due">
              <Time at={event.due_time} />
            </Fact>
          )}
        </dl>
      </section>
      <section class="card stack" aria-labelledby="again-title">
        <h2 id="again-title">Send it again</h2>
        {event.url === null ? (
          <p class="muted">There is no address to send it to.</p>
        ) : (
          <Resend
            event={event}
            commands={commands}
            token={token}
            back={`${sections.webhooks.path}/${event.id}`}
          />
        )}
      </section>
      <section class="card stack" id="deliveries" data-live aria-labelledby="deliveries-title">
        <h2 id="deliveries-title">Deliveries, newest first</h2>
        {deliveries.rows.length === 0 && <p class="muted">None yet.</p>}
        <ol class="timeline">
          {deliveries.rows.map((delivery) => (
            <Delivery delivery={delivery} />
          ))}
        </ol>
        <Pager
          path={`${sections.webhooks.path}/${event.id}`}
          query={{}}
          next={deliveries.next}
          isFirst={isFirst}
          older="Earlier"
          first="Newest"
        />
      </section>
    </>
  );
}

interface ResendProps {
  event: Pick<EventRow, 'id' | 'payment_id'>;
  commands: Commands;
  token: string;
  back: string;
}

export function Resend({ event, commands, token, back }: ResendProps) {
  return (
    <div>
      <Form action={`${sections.webhooks.path}/${event.id}/resend`} token={token}>
        <input type="hidden" name="back" value={back} />
        <button>Resend webhook {event.id}</button>
      </Form>
      <CommandBlock template={commands.resend(event.payment_id, event.id)} />
    </div>
  );
}

/** Long texts are cut, so that a page of them stays a page. */
function Delivery({ delivery }: { delivery: AttemptRow }) {
  const { content_type: type, body, answer } = delivery;
  return (
    <li data-key={delivery.id}>
      <p>
        <strong>
          <Text of={answerText(delivery)} />
        </strong>
      </p>
      <p class="small muted">
        <Time at={delivery.time} />
      </p>
      {body !== null && (
        <pre>
          {plain(
            `POST ${shorten(delivery.url, 200)}\n${type === null ? '' : `content-type: ${type}\n`}\n${shorten(body, 600)}`,
          )}
        </pre>
      )}
      {answer !== null && <pre>{answer === '' ? '(an empty answer)' : plain(shorten(answer, 250))}</pre>}
    </li>
  );
}

const tones: Readonly<Record<string, string>> = { delivered: 'good', failed: 'bad', dropped: 'neutral' };

/** The outcome of a webhook, in a word or two. */
export function OutcomeBadge({ event }: { event: Pick<EventRow, 'outcome' | 'attempts'> }) {
  // A webhook that is retried waits for the server at its address.
  const open = event.attempts > 0 ? 'waiting' : 'progress';
  const tone = event.outcome === null ? open : (tones[event.outcome] ?? 'neutral');
  return <span class={`badge tone-${tone}`}>{outcomeText(event)}</span>;
}

export function outcomeText({ outcome, attempts }: Pick<EventRow, 'outcome' | 'attempts'>): string {
  if (outcome !== null) return outcome === 'no-target' ? 'no address' : outcome;
  return attempts === 0 ? 'queued' : `queued, failed ${attempts === 1 ? 'once' : `${attempts} times`}`;
}

export function answerText({ status, error, ms }: Pick<AttemptRow, 'status' | 'error' | 'ms'>): string {
  return status === null ? shorten(error ?? 'no answer', 120) : `${status} after ${durationText(ms)}`;
}
