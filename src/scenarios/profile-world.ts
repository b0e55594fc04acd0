// The app of a profile as the world of a scenario: the real service or a running sandbox, by the normal client.

import { generateReference } from '../payments/payment-draft.js';
import { parsePayment } from '../payments/named-payments.js';
import type { DeskDatabase } from '../ledger/database.js';
import type { Desk } from '../payments/desk.js';
import type { Remote } from '../sandbox-control/remote.js';
import type { Inputs } from './schema.js';
import type { Actors, World } from './world.js';

interface ProfileWorldOptions {
  desk: Desk;
  database: Pick<DeskDatabase, 'store'>;
  /** The running sandbox that the profile points at, where it is one. */
  sandbox: Remote | undefined;
}

export function createProfileWorld({ desk, database, sandbox }: ProfileWorldOptions): World {
  return {
    desk,
    database,
    newReference: () => generateReference(new Date(desk.clock.now()), Math.random),
    actors: sandbox && remoteActors(sandbox, desk.app.appId),
    own: undefined,
    look: async (payment) => (await desk.client.getPayment(parsePayment(payment).key)).object,
    settle: async () => {},
    changes: async () => [],
    // The command closes what it opened.
    close: async () => {},
  };
}

function remoteActors(sandbox: Remote, appId: string): Actors {
  const idOf = async (payment: string): Promise<string> => {
    const { paymentId } = await sandbox.payment(payment, appId);
    return `id:${String(paymentId)}`;
  };
  return {
    async pay(payment, input) {
      await sandbox.pay(await idOf(payment), payRequest(input));
    },
    async provider(payment, answer) {
      await sandbox.provider(await idOf(payment), { answer });
    },
  };
}

function payRequest(input: Omit<Inputs['pay'], 'payment'>) {
  const { card, method, challenge, 'save-method': saveMethod, 'provider-profile': profile } = input;
  return {
    card,
    method,
    challenge,
    saveMethod,
    paymentProfileId: profile === undefined ? undefined : Number(profile),
  };
}
