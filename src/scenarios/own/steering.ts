// What a scenario can do to a sandbox of its own, by the same control as the commands of the sandbox.

import { ServiceError, UsageError } from '../../errors.js';
import { Refusal, type EmbeddedSandbox, type SandboxApp } from '../../sandbox/index.js';
import { parseDuration } from '../../typed-values.js';
import type { Inputs } from '../schema.js';
import type { Actors, OwnSandbox, ProviderBooks } from '../world.js';
import type { Timeline } from './timeline.js';

/** A refusal of the sandbox as the error that a command ends with. */
export async function asCommand<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const Meant = error.code === 'invalid-request' ? UsageError : ServiceError;
    throw new Meant(error.message, { code: error.code, cause: error });
  }
}

export function createActors({ control }: EmbeddedSandbox): Actors {
  return {
    pay: (payment, { card, method, challenge, 'save-method': saveMethod, 'provider-profile': profile }) =>
      asCommand(async () => {
        await control.pay(payment, undefined, {
          card,
          method,
          challenge,
          saveMethod,
          paymentProfileId: numberOf(profile),
        });
      }),
    provider: (payment, answer) =>
      asCommand(async () => void (await control.provider(payment, undefined, answer))),
  };
}

export function createOwnSandbox(
  { control }: EmbeddedSandbox,
  timeline: Timeline,
  { appId }: SandboxApp,
): OwnSandbox {
  return {
    async clock({ advance, set }) {
      const instant = set === undefined ? timeline.now() + parseDuration(advance ?? '1ms') : Date.parse(set);
      if (instant < timeline.now()) {
        const shows = new Date(timeline.now()).toISOString();
        throw new UsageError(`The clock cannot go back; it shows ${shows}.`, { code: 'invalid-request' });
      }
      await timeline.advanceTo(instant);
    },
    fault: (input) =>
      asCommand(async () => {
        if (input.add === undefined) await control.clearFaults();
        else await control.addFault({ ...faultOf(input), kind: input.add });
      }),
    app: (input) => asCommand(async () => void (await control.changeApp(appId, changeOf(input)))),
    sendWebhooksTo: (webhookUrl) =>
      asCommand(async () => void (await control.changeApp(appId, { webhookUrl }))),
    seed: () => asCommand(async () => void (await control.seed())),
    books: (payment) =>
      asCommand(async () => {
        const { paymentId: _, ...books } = await control.books(payment, undefined);
        return books satisfies ProviderBooks;
      }),
    webhooks: (payment) =>
      asCommand(async () => {
        const { events } = await control.story(payment, undefined);
        return events
          .flatMap(({ to_state, deliveries }) =>
            deliveries.map(({ id, status }) => ({ id, state: to_state, status })),
          )
          .sort((one, other) => one.id - other.id)
          .map(({ state, status }) => ({ state, status }));
      }),
    contents: () => control.export(),
  };
}

const numberOf = (value: number | string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);

function faultOf(input: Inputs['fault']) {
  return {
    route: input.route ?? '*',
    next: input.next,
    probability: input.probability,
    status: input.status,
    delayMs: input.delay === undefined ? undefined : parseDuration(input.delay),
    afterCommit: input['after-commit'],
    retryAfterS: input['retry-after'],
  };
}

function changeOf(input: Inputs['app']) {
  const profile = numberOf(input['provider-profile']);
  return {
    isBlocked: input.blocked,
    fraudPolicyId: numberOf(input['fraud-policy']),
    ...(profile !== undefined && {
      profile: {
        paymentProfileId: profile,
        isActive: input.active,
        delayMs: input.delay === undefined ? undefined : parseDuration(input.delay),
      },
    }),
  };
}
