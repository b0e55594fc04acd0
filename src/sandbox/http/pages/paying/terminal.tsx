import { type CommandTemplate, fillCommand, type Commands } from '../../../console/commands.js';
import type { PaymentRow } from '../../../schema.js';
import { Words } from '../command-words.js';

/** The same from a terminal, for people who test with this page. */
export function Terminal({ command }: { command: CommandTemplate }) {
  return (
    <p>
      From a terminal:{' '}
      <code>
        <Words of={command} />
      </code>
    </p>
  );
}

/** What takes the payment on; undefined when the desk has no profile for it. */
export function commandFor(commands: Commands, payment: PaymentRow): CommandTemplate | undefined {
  const { state, payment_id: id } = payment;
  const desk = (verb: string) => commands.desk(payment.app_id, ['payments', verb, id]);
  switch (state) {
    case 'Created':
    case 'Declined':
      return fillCommand(commands.pay(id), { card: 'approved' });
    case 'ActionRequired':
      return commands.challenge(id, 'passed');
    case 'Processing':
    case 'Cancelling':
      return payment.provider_knows === null
        ? fillCommand(commands.clock.advance, { by: '1m' })
        : desk('recheck');
    case 'Held':
      return desk('unhold');
    case 'Authorised':
      return desk('capture');
    case 'Captured':
      return desk('refund');
    default:
      return desk('get');
  }
}
