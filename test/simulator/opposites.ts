// Somebody changes his mind: what was just cancelled is to be captured after all, and the other way round.

import type { SettleOperation } from '../../src/contract/states.js';
import { runMove, type Report, type Simulation } from './operators.ts';
import type { Random } from './random.ts';

/** What cannot follow an operation that is done. */
export const opposites: Readonly<Record<string, readonly SettleOperation[]>> = {
  capture: ['cancel'],
  cancel: ['capture', 'unhold', 'refund'],
  refund: ['capture', 'cancel'],
};

/** Brings a payment to its end, and types the opposite right after it, while replicas may still show the state before. */
export async function typeOpposites(
  simulation: Simulation,
  { random, until }: { random: Random; until: number },
  onReports: (reports: Report[]) => void,
): Promise<void> {
  const { timeline, world } = simulation;
  const type = async (name: string, operation: SettleOperation, paymentId: number, wait: boolean) => {
    const flags = { again: false, resend: false, wait, force: false };
    onReports(await runMove(simulation, name, { operation, payments: [paymentId], ...flags }));
  };
  for (let number = 1; timeline.now() < until; number += 1) {
    await new Promise<void>((resolve) => timeline.at(timeline.now() + random.whole(300_000), resolve));
    const payments = await world.inStates(['Authorised']);
    if (payments.length === 0) continue;
    const [paymentId, first] = [random.pick(payments), random.pick(['capture', 'cancel'] as const)];
    await type(`contrary#${number}`, first, paymentId, true);
    for (const [index, other] of (opposites[first] ?? []).entries()) {
      await type(`contrary#${number}-${index}`, other, paymentId, false);
    }
  }
}
