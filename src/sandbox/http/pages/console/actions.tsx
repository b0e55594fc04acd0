import type { Child } from 'hono/jsx';
import { cardNames, testCards } from '../../../domain/cards.js';
import type { App } from '../../../domain/apps.js';
import type { Commands } from '../../../console/commands.js';
import { legalOperations, obstacles } from '../../../console/possible.js';
import type { PaymentRow } from '../../../schema.js';
import { Form } from '../form.js';
import { CommandBlock, DeskCommands } from './command.js';
import { Select } from './pieces.js';
import { paymentPath } from './payments-page.js';
import { Press } from './press.js';
import { Resend } from './webhook-page.js';

interface ActionsProps {
  app: App;
  payment: PaymentRow;
  webhook: number | undefined;
  now: number;
  commands: Commands;
  token: string;
}

/** What can be done to a payment from here, each with its command; what cannot be, with the reason. */
export function Actions({ app, payment, webhook, now, commands, token }: ActionsProps) {
  const { payment_id: id } = payment;
  const because = obstacles(app, payment, now);
  const path = paymentPath(id);
  const answer = { path: `${path}/provider`, token, name: 'answer' };
  const asked = payment.state === 'Processing' ? 'the payment' : `the instruction (${payment.state})`;
  return (
    <>
      <ul class="quiet-list actions">
        {because.challenge === undefined && (
          <Action title="Finish the step at the provider">
            <Challenge {...{ id, commands, token }} result="passed" text="Customer confirms" />
            <Challenge {...{ id, commands, token }} result="failed" text="Customer cancels" />
          </Action>
        )}
        {because.pay === undefined && (
          <Action title="Pay as the customer">
            <Pay {...{ id, commands, token }} />
          </Action>
        )}
        {because.provider === undefined && (
          <>
            <Action title="Provider confirms" hint={`The provider says that it carried out ${asked}.`}>
              <Press {...answer} value="confirm" text="Confirm" />
              <CommandBlock template={commands.provider(id, 'confirm')} />
            </Action>
            <Action title="Provider declines" hint={`The provider says that it did not carry out ${asked}.`}>
              <Press {...answer} value="decline" text="Decline" />
              <CommandBlock template={commands.provider(id, 'decline')} />
            </Action>
          </>
        )}
        {because.hold === undefined && (
          <Action title="Hold" hint="Like a fraud rule, before anything is charged.">
            <Press {...answer} value="hold" text="Hold" />
            <CommandBlock template={commands.provider(id, 'hold')} />
          </Action>
        )}
        {webhook !== undefined && (
          <Action title="Send the last webhook again">
            <Resend event={{ id: webhook, payment_id: id }} commands={commands} token={token} back={path} />
          </Action>
        )}
        <Action title="As the merchant" hint="Commands that this state allows.">
          <DeskCommands
            app={app}
            commands={commands}
            of={legalOperations(payment).map((operation) =>
              commands.desk(app.app_id, ['payments', operation, id]),
            )}
          />
        </Action>
      </ul>
      <h3>Not possible now</h3>
      <ul class="quiet-list small muted stack-tight">
        <NotNow title="Pay as the customer" because={because.pay} />
        <NotNow title="Provider confirms, provider declines" because={because.provider} />
        <NotNow title="Hold" because={because.hold} />
        <NotNow
          title="Send the last webhook again"
          because={webhook === undefined ? 'It had no address.' : undefined}
        />
      </ul>
    </>
  );
}

function Action({ title, hint, children }: { title: string; hint?: string; children?: Child }) {
  return (
    <li data-key={title}>
      <h3>{title}</h3>
      {hint !== undefined && <p class="small muted">{hint}</p>}
      {children}
    </li>
  );
}

function NotNow({ title, because }: { title: string; because: string | undefined }) {
  return because === undefined ? null : (
    <li>
      {title}: {because}
    </li>
  );
}

interface OneProps {
  id: number;
  commands: Commands;
  token: string;
}

function Pay({ id, commands, token }: OneProps) {
  return (
    <>
      <Form action={`${paymentPath(id)}/pay`} token={token} id="pay">
        <div class="inline">
          <Select
            id="card"
            label="Test card"
            options={cardNames.map((name) => [name, `${name}: ${testCards[name].summary}`] as const)}
          />
          <button class="primary">Pay</button>
        </div>
      </Form>
      <CommandBlock template={commands.pay(id)} values={{ card: cardNames[0] }} form="pay" />
    </>
  );
}

function Challenge({
  id,
  commands,
  token,
  result,
  text,
}: OneProps & { result: 'passed' | 'failed'; text: string }) {
  return (
    <>
      <Press path={`${paymentPath(id)}/challenge`} token={token} name="result" value={result} text={text} />
      <CommandBlock template={commands.challenge(id, result)} />
    </>
  );
}
