import type { PaymentTimeline, ConsoleEntry } from '../../../console/timeline.js';
import { sourceText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import type { AttemptRow, EventRow, ExchangeRow, OperationRow } from '../../../schema.js';
import { StateBadge } from '../badge.js';
import { plain, Text } from '../text.js';
import { Time } from './pieces.js';
import { answerText, outcomeText } from './webhook-page.js';
import { webhookPath } from './webhooks-page.js';

export function TimelineList({ story }: { story: PaymentTimeline }) {
  return (
    <ol class="timeline">
      {story.entries.map((entry) => (
        <li class={entry.kind} data-key={`${entry.kind}-${entry.row.id}`}>
          <Entry entry={entry} />
        </li>
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: ConsoleEntry }) {
  if (entry.kind === 'change') return <Change event={entry.row} delivery={entry.delivery} />;
  return entry.kind === 'operation' ? <Operation operation={entry.row} /> : <Exchange exchange={entry.row} />;
}

function Operation({ operation }: { operation: OperationRow }) {
  const { kind, time, via, status, error, description } = operation;
  return (
    <>
      <p>
        <strong>{kind}</strong> requested: {status}
        {error !== null && (
          <>
            , <Text of={shorten(error, 120)} />
          </>
        )}
      </p>
      {description !== null && (
        <p class="small">
          “<Text of={shorten(description, 80)} />”
        </p>
      )}
      <When time={time} via={via} />
    </>
  );
}

function Exchange({ exchange }: { exchange: ExchangeRow }) {
  const { kind, time, done, answer, answered_time: answered } = exchange;
  const verdict = answered === null ? 'no answer yet' : done === 1 ? answer : `not done, ${answer}`;
  return (
    <>
      <p>
        Provider was told to <strong>{kind}</strong>: <Text of={shorten(verdict, 120)} />
      </p>
      <p class="small muted">
        <Time at={time} />
        {answered !== null && answered !== time && (
          <>
            , answered <Time at={answered} />
          </>
        )}
      </p>
    </>
  );
}

function Change({ event, delivery }: { event: EventRow; delivery: AttemptRow | undefined }) {
  return (
    <>
      <p>
        <StateBadge state={event.to_state} />{' '}
        {event.from_state !== null && <span class="muted">from {event.from_state}: </span>}
        {event.from_state !== null && <Text of={shorten(event.cause, 120)} />}
      </p>
      <When time={event.time} via={event.via} />
      {event.url !== null && <Webhook event={event} url={event.url} delivery={delivery} />}
    </>
  );
}

function When({ time, via }: { time: number; via: string | null }) {
  return (
    <p class="small muted">
      <Time at={time} /> <Text of={shorten(sourceText(via), 60)} />
    </p>
  );
}

function Webhook({
  event,
  url,
  delivery,
}: {
  event: EventRow;
  url: string;
  delivery: AttemptRow | undefined;
}) {
  return (
    <div class="small">
      <p>
        <a href={webhookPath(event.id)}>Webhook {event.id}</a> {outcomeText(event)}
        {delivery && `: ${plain(answerText(delivery))}`}
      </p>
      {delivery?.body != null && (
        <details id={`delivery-${delivery.id}`}>
          <summary>Request and answer</summary>
          <pre>{plain(`POST ${shorten(url, 80)}\n${shorten(delivery.body, 260)}`)}</pre>
          <pre>{plain(`${answerText(delivery)}\n${shorten(delivery.answer ?? '', 80)}`)}</pre>
        </details>
      )}
    </div>
  );
}
