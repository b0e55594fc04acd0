import { formatAmount } from '../../../../contract/amount-format.js';
import { states, type StateName } from '../../../../contract/states.js';
import type { Commands } from '../../../console/commands.js';
import type { TypedForm } from '../../../console/results.js';
import type { PaymentTimeline } from '../../../console/timeline.js';
import { shorten } from '../../../../shorten.js';
import { providerInstructions } from '../../../domain/provider-instructions.js';
import type { App } from '../../../domain/apps.js';
import type { Books } from '../../../domain/providers.js';
import type { PaymentRow } from '../../../schema.js';
import { StateBadge } from '../badge.js';
import { orderOf } from '../paying/order.js';
import { Text } from '../text.js';
import { Actions } from './actions.js';
import { AdvanceForm } from './clock-page.js';
import { customerPath } from './customers-page.js';
import { FaultForm } from './fault-form.js';
import { Fact, Pager, Time } from './pieces.js';
import { isStuck, paymentPath } from './payments-page.js';
import { StateDiagram } from './state-diagram.js';
import { TimelineList } from './timeline.js';

interface PaymentProps {
  app: App;
  payment: PaymentRow;
  path: StateName[];
  story: PaymentTimeline;
  books: Books;
  checkout: string | undefined;
  /** Of the last change, when there is one that can be sent. */
  webhook: number | undefined;
  now: number;
  isFirst: boolean;
  commands: Commands;
  token: string;
  /** Forms that were refused: of the clock, of the faults. */
  typed: { clock: TypedForm | undefined; fault: TypedForm | undefined };
}

export function PaymentPage(props: PaymentProps) {
  const { payment, story, path, now, isFirst, commands, token, typed } = props;
  const { payment_id: id } = payment;
  const back = paymentPath(id);
  return (
    <>
      <section class="card stack" id="facts" data-live aria-labelledby="payment-title">
        <Facts {...props} />
      </section>
      <div class="columns">
        <section class="card stack side" id="actions" data-live aria-labelledby="actions-title">
          <h2 id="actions-title">Actions</h2>
          <Actions
            app={props.app}
            payment={payment}
            webhook={props.webhook}
            now={now}
            commands={commands}
            token={token}
          />
        </section>
        <section class="card stack main" id="story" data-live aria-labelledby="story-title">
          <h2 id="story-title">History, newest first</h2>
          <TimelineList story={story} />
          <Pager path={back} query={{}} next={story.next} isFirst={isFirst} older="Earlier" first="Newest" />
        </section>
        <div class="side stack-wide">
          <section class="card stack" aria-labelledby="time-title">
            <h2 id="time-title">Time and faults</h2>
            <AdvanceForm commands={commands} token={token} back={back} typed={typed.clock} />
            <details open={typed.fault !== undefined}>
              <summary>Add a fault</summary>
              <FaultForm commands={commands} token={token} back={back} typed={typed.fault} />
            </details>
          </section>
          <section class="card stack" id="diagram" data-live aria-labelledby="diagram-heading">
            <h2 id="diagram-heading">States</h2>
            <StateDiagram path={path} />
          </section>
        </div>
      </div>
    </>
  );
}

function Facts({ app, payment, books, checkout }: PaymentProps) {
  const { state, currency } = payment;
  const order = orderOf(payment);
  return (
    <>
      <div class="row apart">
        <h1 id="payment-title">
          Payment {payment.payment_id}{' '}
          <span class="sub">
            <Text of={payment.reference_id} />
          </span>
        </h1>
        <StateBadge state={state} isStuck={isStuck(state, payment.provider_knows)} />
      </div>
      <p>
        {states[state].meaning}
        {isStuck(state, payment.provider_knows) &&
          ' The provider has decided, but the service does not know it yet: run a recheck.'}
        {payment.failure !== null && (
          <>
            {' Reason: '}
            <Text of={shorten(payment.failure, 200)} />
          </>
        )}
      </p>
      <dl class="pairs">
        <Fact name="Amount">
          {formatAmount(payment.amount, currency)}, captured {formatAmount(payment.captured_amount, currency)}
        </Fact>
        <Fact name="Customer">
          <a href={customerPath(payment.app_id, payment.customer_id)}>
            <Text of={payment.customer_id} />
          </a>
        </Fact>
        {order.number !== undefined && (
          <Fact name="Order">
            <Text of={order.number} />
          </Fact>
        )}
        {order.description !== undefined && (
          <Fact name="Description">
            <Text of={shorten(order.description, 100)} />
          </Fact>
        )}
        <Fact name="App">
          <Text of={app.friendly_name} /> ({app.app_id})
        </Fact>
        <Fact name="Flow">
          {payment.flow}, {payment.auto_capture === 1 ? 'captured automatically' : 'captured on request'}
        </Fact>
        {payment.card !== null && <Fact name="Test card">{payment.card}</Fact>}
        <Fact name="Fraud">{payment.fraud_status}</Fact>
        <Fact name="Created">
          <Time at={payment.created_time} />
        </Fact>
        {payment.expiration_time !== null && (
          <Fact name="Link expires">
            <Time at={payment.expiration_time} />
          </Fact>
        )}
        {state === 'Authorised' && payment.authorised_until !== null && (
          <Fact name="Reserved until">
            <Time at={payment.authorised_until} />
          </Fact>
        )}
        {checkout !== undefined && (
          <Fact name="Checkout">
            <a href={checkout} target="_blank" rel="noopener">
              Open the checkout page<span class="visually-hidden"> in a new tab</span>
            </a>
          </Fact>
        )}
        <Fact name="Webhook">
          <Text of={shorten(payment.webhook_url ?? app.webhook_url ?? 'no address, so none is sent', 200)} />
        </Fact>
        <Fact name="Provider’s books">{booksText(books)}</Fact>
      </dl>
    </>
  );
}

function booksText(books: Books): string {
  const told = providerInstructions.filter((kind) => books[kind].told > 0);
  if (told.length === 0) return 'no instructions';
  return told.map((kind) => `${kind}: told ${books[kind].told}, did ${books[kind].done}`).join('; ');
}
