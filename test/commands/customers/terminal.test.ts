import { describe, expect, it } from 'vitest';
import Create from '../../../src/commands/payments/create.js';
import { createFlags, runTyped } from '../../helpers/desk.js';
import type { Tty } from '../../helpers/run.js';
import { newReference } from '../../helpers/sandbox.js';
import { createScreen } from '../../helpers/screen.js';
import { shareTerminal } from '../../helpers/shared-terminal.js';
import { parsed, openCustomersDesk, storedMethod, type Method } from './customers-desk.js';

describe('customers on a terminal', async () => {
  const desk = await openCustomersDesk();
  const { sandbox } = desk;
  const type = shareTerminal();

  const methodsOf = async (customerId: string, live = false) => {
    const { appId, apiKey } = live ? sandbox.live : sandbox.app;
    const path = `/customers/${customerId}/payment-methods`;
    return (await sandbox.call<Method[]>('GET', path, undefined, { appId, key: apiKey })).body;
  };

  it('asks for the customer that create needs', async () => {
    const tty = await type(['customers', 'create', '--first-name', 'Ada'], { env: desk.env });
    await tty.waitFor('Your customer ID:');
    tty.press('enter');
    await tty.waitFor('must not be empty');
    tty.type('t_1');
    tty.press('enter');
    await tty.waitFor(/Customer t_1\s+Name\s+Ada/);
    expect(await tty.ended()).toBe(0);
    expect(tty.raw()).not.toContain(sandbox.app.apiKey);
  });

  it('does not ask where nobody is', async () => {
    const refused = await runTyped(['customers', 'create'], { home: desk.home, env: desk.env });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/--customer +missing: your customer ID/);
    const told = await type(['customers', 'create', '--no-input'], { env: desk.env });
    await told.waitFor('missing');
    expect(await told.ended()).toBe(2);
  });

  it('asks before a method is removed, and takes no for an answer', async () => {
    await storedMethod(desk, 't_2');
    const [method] = await methodsOf('t_2');
    const argv = ['customers', 'remove-method', 't_2', String(method!.paymentMethodId)];
    const no = await type(argv, { env: desk.env });
    await no.waitFor(/Remove method \d+ \(Visa credit, expires \d+\/\d+\) of customer t_2\?/);
    await no.waitFor('Continue?');
    no.press('enter');
    expect(await no.ended()).toBe(130);
    expect(await methodsOf('t_2')).toHaveLength(1);

    const yes = await type(argv, { env: desk.env });
    await yes.waitFor('Continue?');
    yes.type('y');
    yes.press('enter');
    await yes.waitFor('Removed method');
    expect(await yes.ended()).toBe(0);
    expect(await methodsOf('t_2')).toEqual([]);
  });

  it('wants the App ID typed on a live app', async () => {
    await storedMethod(desk, 't_3', sandbox.live);
    const [method] = await methodsOf('t_3', true);
    const argv = ['customers', 'stop-auto-payment', 't_3', String(method!.customerAutomaticProfileId)];
    const left = await type(argv, { env: desk.liveEnv });
    await left.waitFor(`LIVE  environment (app ${sandbox.live.appId})`);
    await left.waitFor('Type the App ID to confirm:');
    left.press('ctrl-c');
    expect(await left.ended()).toBe(130);

    const tty = await type(argv, { env: desk.liveEnv });
    await tty.waitFor('Type the App ID to confirm:');
    tty.type(sandbox.live.appId);
    tty.press('enter');
    await tty.waitFor('Stopped auto-payment registration');
    expect(await tty.ended()).toBe(0);
  });

  describe('that is narrow', () => {
    const shown = (tty: Tty, columns = 60) => {
      const screen = createScreen(columns);
      screen.write(tty.raw());
      return screen.lines();
    };

    const known = (customer: string) => desk.run(Create, createFlags(newReference(), { customer }));

    it('breaks a question between words, and draws it again in its place', async () => {
      const customer = 'customer-of-the-shop-in-madrid';
      const { home, env } = desk;
      await known(customer);
      const tty = await type(['customers', 'forget', customer], { home, env, columns: 60 });
      await tty.waitFor('(y/N)');
      tty.type('nn');
      tty.press('backspace', 'enter');
      expect(await tty.ended()).toBe(130);
      expect(shown(tty).slice(0, 4)).toEqual([
        '✔ Remove what this desk keeps about customer',
        `  ${customer} (1 known`,
        '  payment)? No',
        'Nothing was removed.',
      ]);
    });

    it('leaves room for the answer behind a question', async () => {
      const { home, env } = desk;
      await known('t_6');
      const tty = await type(['customers', 'forget', 't_6'], { home, env, columns: 70 });
      await tty.waitFor('(y/N)');
      expect(shown(tty, 70)).toEqual([
        '? Remove what this desk keeps about customer t_6 (1 known',
        '  payment)? (y/N)',
      ]);
      tty.press('ctrl-c');
      expect(await tty.ended()).toBe(130);
    });

    it('breaks what is wrong with an answer between words', async () => {
      await storedMethod(desk, 't_5', sandbox.live);
      const [method] = await methodsOf('t_5', true);
      const argv = ['customers', 'remove-method', 't_5', String(method!.paymentMethodId)];
      const tty = await type(argv, { env: desk.liveEnv, columns: 60 });
      await tty.waitFor('Type the App ID to confirm:');
      tty.type('other');
      tty.press('enter');
      await tty.waitFor('cancel.');
      const wrong = shown(tty).slice(-2);
      expect(wrong.join(' ').replaceAll(/\s+/g, ' ')).toBe(
        `> Type the App ID, ${sandbox.live.appId}, or press Enter to cancel.`,
      );
      expect(wrong[1]).toMatch(/^ {2}\S/);
      tty.press('enter');
      expect(await tty.ended()).toBe(130);
      expect(shown(tty).filter((line) => line.includes('to confirm:'))).toHaveLength(1);
    });
  });

  it('prints for scripts what the tables leave out', async () => {
    await sandbox.call('POST', '/customers', { customerId: 't_4', firstName: 'Ada' });
    const got = await runTyped(['customers', 'get', 't_4', '--json'], { home: desk.home, env: desk.env });
    expect(got).toMatchObject({ code: 0, stderr: '' });
    expect(parsed(got)).toMatchObject({
      customerId: 't_4',
      app: { appId: sandbox.app.appId, isBlocked: false },
    });
    const name = await runTyped(['customers', 'get', 't_4', '--jq', '.firstName'], {
      home: desk.home,
      env: desk.env,
    });
    expect(name.stdout).toBe('Ada\n');
  });
});
