import type { App } from '../../../domain/apps.js';
import { readPayment } from '../../../domain/payments.js';
import type { Work } from '../../../domain/work.js';
import { type CommandTemplate, createCommands } from '../../../console/commands.js';
import type { PaymentRow, ProviderProfileRow } from '../../../schema.js';
import type { ControlOptions } from '../../control-routes.js';
import { commandFor } from './terminal.js';

/** A customer at the page of a payment. */
export interface Visit {
  payment: PaymentRow;
  app: App;
  /** The provider that the customer is at, or chose last. */
  profile: ProviderProfileRow | undefined;
  now: number;
  /** Counts its changes and what its provider was told: a form made for another is not acted on. */
  version: number;
  /** The page that the payment's own link leads to. */
  home: string;
  /** The same as a command, for people who test with the page. */
  command: CommandTemplate | undefined;
  /** The page of the provider, whichever way the customer came. */
  provider: string;
}

/** Who may see what is decided by the link alone. */
export async function openVisit(
  { engine, addresses, url, profileOf }: Pick<ControlOptions, 'engine' | 'addresses' | 'url' | 'profileOf'>,
  link: string,
): Promise<Visit | undefined> {
  const paymentId = addresses.readCheckout(link);
  if (paymentId === undefined) return undefined;
  const found = await engine.read(async (work) => {
    const payment = await readPayment(work, { paymentId });
    return payment && { payment, version: await pageVersion(work, payment) };
  });
  if (!found) return undefined;
  const { payment, version } = found;
  if (payment.flow !== 'HostedPage' && payment.flow !== 'ProviderHostedPage') return undefined;
  const app = await engine.apps.byId(payment.app_id);
  if (!app) return undefined;
  const { now } = await engine.clock.read();
  return {
    payment,
    app,
    profile: app.profiles.find(({ payment_profile_id: id }) => id === payment.payment_profile_id),
    now,
    version,
    command: commandFor(createCommands(url, profileOf), payment),
    home: `/${payment.flow === 'ProviderHostedPage' ? 'provider' : 'checkout'}/${link}`,
    provider: `/provider/${link}`,
  };
}

/** A second attempt that is declined too changes no state: what the provider was told counts as well. */
export async function pageVersion(work: Pick<Work, 'tx'>, payment: PaymentRow): Promise<number> {
  const { told } = await work.tx
    .selectFrom('exchanges')
    .select(({ fn }) => fn.countAll<number>().as('told'))
    .where('payment_id', '=', payment.payment_id)
    .executeTakeFirstOrThrow();
  return payment.version + told;
}

type Standing = 'open' | 'at-provider' | 'waiting' | 'over';

/** What the customer can do now: pay, finish at the provider, wait, or go back to the shop. */
export function visitStanding({ payment, now }: Pick<Visit, 'payment' | 'now'>): Standing {
  switch (payment.state) {
    case 'Created':
    case 'Declined':
      return payment.expiration_time !== null && payment.expiration_time <= now ? 'over' : 'open';
    case 'ActionRequired':
      return 'at-provider';
    case 'Processing':
    case 'Cancelling':
      return 'waiting';
    default:
      return 'over';
  }
}
