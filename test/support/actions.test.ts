import { beforeAll, describe, expect, it } from 'vitest';
import type { Ran } from '../helpers/desk.js';
import { eventually } from '../helpers/sandbox.js';
import { type Explained, openSeededDesk, sceneNames, type SeededDesk } from './seeded.js';

describe('what is offered', () => {
  let explained: Map<string, Explained>;
  let desks: SeededDesk[];
  beforeAll(async () => {
    const first = await openSeededDesk();
    explained = new Map();
    for (const name of sceneNames) explained.set(name, await first.explain(name));
    const most = Math.max(...[...explained.values()].map(({ actions }) => actions.length));
    // Each action meets the payment as it was explained, so each is tried in a sandbox of its own.
    desks = await Promise.all(Array.from({ length: most }, openSeededDesk));
  });

  it.each(sceneNames)('works when it is typed: %s', async (name) => {
    const offers = explained.get(name)?.actions ?? [];
    for (const [index, { command, operation }] of offers.entries()) {
      const desk = desks[index]!;
      const { command: same = '' } = (await desk.explain(name)).actions[index] ?? {};
      expect(same.split(' ').slice(0, 3)).toEqual(command.split(' ').slice(0, 3));
      const waits = operation === 'watch' || command.endsWith('--watch');
      const ran = await desk.type(same, ...(waits ? ['--timeout', '300ms'] : []));
      // A watch that nothing happens to ends when its time is up.
      expect([same, ran.code, ran.stderr]).toEqual([
        same,
        expect.toBeOneOf(waits ? [0, 8] : [0]),
        expect.any(String),
      ]);
    }
  });

  it('is never what is warned against', () => {
    for (const { actions, notPossible } of explained.values()) {
      const offered = actions.map(({ operation }) => operation);
      expect(notPossible.filter(({ operation }) => offered.includes(operation))).toEqual([]);
      for (const { instead } of notPossible) {
        if (instead !== undefined) expect(actions.map(({ command }) => command)).toContain(instead);
      }
    }
  });

  it('is told with its consequence, the recommended one first and alone', () => {
    for (const { actions } of explained.values()) {
      expect(actions.slice(1).filter(({ recommended }) => recommended)).toEqual([]);
      expect(actions.filter(({ consequence }) => !/^[A-Z].*\.$/.test(consequence))).toEqual([]);
    }
  });

  it('what is not possible is refused by the desk too', async () => {
    const [desk] = [await openSeededDesk()];
    for (const [name, { notPossible }] of explained) {
      for (const { operation } of notPossible) {
        const { code } = await desk.run(operation, [name]);
        expect([name, operation, code]).toEqual([name, operation, 9]);
      }
    }
  });
});

describe('followed blindly', () => {
  const settled = ['Captured', 'Refunded', 'Cancelled', 'Declined', 'Failed', 'Expired'];
  let desk: SeededDesk;
  beforeAll(async () => {
    desk = await openSeededDesk();
  });

  /** The same instruction again finds out what became of it, and sends nothing. */
  async function checkOutcome(paymentId: number): Promise<Ran> {
    const { timeline } = await desk.explain(paymentId);
    const sent = timeline.findLast(({ event, operation }) => event === 'sent' && operation !== 'recheck');
    return desk.run(sent?.['operation'] as string, [paymentId]);
  }

  /** Types whatever is recommended, until nothing is; what only waits is given time. */
  async function follow(name: string): Promise<{ state: string; steps: string[] }> {
    const steps: string[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { actions, payment } = await desk.explain(name);
      const [first] = actions;
      if (!first?.recommended) return { state: payment.paymentState, steps };
      steps.push(first.command.replace(` ${payment.paymentId}`, '').replace('paydesk payments ', ''));
      if (first.operation === 'watch') await desk.sandbox.advance(60_000);
      else if (first.operation === 'check') await checkOutcome(payment.paymentId);
      else await desk.type(first.command);
      await desk.sandbox.settle();
    }
    throw new Error(`${name} never came to an end: ${steps.join(', ')}`);
  }

  const ways: Record<string, [end: string, ...steps: string[]]> = {
    'stuck-charged': ['Captured', 'recheck'],
    'stuck-not-charged': ['Failed', 'recheck'],
    'seed-processing': ['Captured', 'watch'],
    'seed-capturing': ['Captured', 'recheck'],
    'seed-refunding': ['Refunded', 'recheck'],
    'seed-cancelling': ['Cancelled', 'recheck'],
  };

  it.each(['seed-held', 'seed-authorised', 'stuck-expiring'])(
    'charges nobody, because only the merchant can decide: %s',
    async (name) => {
      const { payment, actions } = await desk.explain(name);
      expect(actions.map(({ operation }) => operation)).toContain('cancel');
      expect(await follow(name)).toEqual({ state: payment.paymentState, steps: [] });
    },
  );

  it.each(Object.entries(ways))('brings %s to its end', async (name, [end, ...steps]) => {
    const { state, steps: taken } = await follow(name);
    expect([state, ...taken]).toEqual([end, ...steps]);
    expect(settled).toContain(state);
    const { paymentId } = (await desk.explain(name)).payment as { paymentId: number };
    const books = await desk.sandbox.books(paymentId);
    const done = (kind: string) => Number(books[kind]?.split('/')[1] ?? 0);
    expect([done('capture'), done('refund'), done('void')].filter((count) => count > 1)).toEqual([]);
    expect(done('refund') + done('void')).toBeLessThanOrEqual(1);
    if (done('void') > 0) expect(done('capture')).toBe(0);
  });

  it.each([
    ['stuck-refund-failed', 'refund'],
    ['stuck-capture-failed', 'capture'],
  ] as const)(
    'offers to send it again, and recommends it only after the first failure: %s',
    async (name, verb) => {
      // The provider is asked until the quiet period of the sandbox has passed.
      await eventually(async () => {
        await desk.type((await desk.explain(name)).actions[0]!.command);
        expect((await desk.explain(name)).verdict).toMatch(/^(Refund|Capture) failed: /);
      });
      for (const [flags, recommended] of [
        ['', true],
        [' --again', true],
        [' --again', false],
      ] as const) {
        const { actions, payment, severity } = await desk.explain(name);
        expect([severity, actions[0]?.command, actions[0]?.recommended]).toEqual([
          'urgent',
          `paydesk payments ${verb} ${payment.paymentId}${flags}`,
          recommended,
        ]);
        expect((await desk.type(actions[0]!.command, '--wait')).code).toBe(3);
      }
      expect((await desk.explain(name)).verdict).toContain(
        'It has failed 3 times: ask the provider why before you send it again.',
      );
    },
  );

  it('settles what was lost on the way, without sending it twice', async () => {
    const [arrived, never] = [await desk.paid(), await desk.paid()];
    await desk.fault({ kind: 'drop-after-commit', route: 'refund', next: 1 });
    await desk.run('refund', [arrived.paymentId]);
    expect((await follow(String(arrived.paymentId))).state).toBe('Refunded');
    expect(await desk.sandbox.books(arrived.paymentId)).toMatchObject({ refund: '1/1' });
    await desk.fault({ kind: 'drop-before-commit', route: 'refund', next: 1 });
    expect((await desk.run('refund', [never.paymentId])).code).toBe(6);
    const quiet = await desk.explain(never.paymentId);
    expect(quiet.actions[0]?.command).toBe(`paydesk payments check ${never.paymentId}`);
    expect((await checkOutcome(never.paymentId)).code).toBe(6);
    expect(await desk.sandbox.books(never.paymentId)).not.toHaveProperty('refund');
    desk.passQuietPeriod();
    const { state, steps } = await follow(String(never.paymentId));
    expect([state, steps[0]]).toEqual(['Refunded', 'refund --resend']);
    expect(await desk.sandbox.books(never.paymentId)).toMatchObject({ refund: '1/1' });
  });
});
