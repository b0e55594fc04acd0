import type { Hono } from 'hono';
import { fillCommand } from '../../../console/commands.js';
import { timeText } from '../../../console/texts.js';
import { check, clockBody, faultBody } from '../../../control-requests.js';
import { invalidField, Refusal } from '../../../domain/refusal.js';
import { BadValue, parseDuration, parseInstant } from '../../../../typed-values.js';
import { ClockPage } from './clock-page.js';
import { act, FORMS, pathBack, sections, showConsole, typedForm, type Desk } from './console-frame.js';
import { FaultsPage } from './faults-page.js';

/** The clock and the faults: what concerns every payment at once. */
export function addSettingRoutes(routes: Hono, desk: Desk): void {
  const { engine, control, commands } = desk;
  const token = () => desk.forms.token(FORMS);

  routes.get('/clock', async (c) =>
    showConsole(
      c,
      desk,
      { section: 'clock', title: 'Clock', live: 'everything' },
      <ClockPage
        {...await engine.clock.read()}
        commands={commands}
        token={token()}
        typed={typedForm(c, desk, sections.clock.path)}
      />,
    ),
  );

  routes.post('/clock', (c) =>
    act(
      c,
      desk,
      async (form) => {
        const { request, command } = readClock(form);
        await control.clock(check(clockBody, request));
        const { now, stopped } = await engine.clock.read();
        return {
          back: pathBack(form, sections.clock.path),
          text: `The clock shows ${timeText(now)} UTC and ${stopped ? 'is stopped' : 'is running'}.`,
          command,
        };
      },
      sections.clock.path,
    ),
  );

  function readClock(form: URLSearchParams): { request: object; command: string } {
    const text = (name: string) => form.get(name)?.trim() ?? '';
    const { clock } = commands;
    switch (form.get('action')) {
      case 'advance': {
        const by = text('by');
        const value = parsed('value', () => parseDuration(by));
        return { request: { action: 'advance', value }, command: fillCommand(clock.advance, { by }) };
      }
      case 'set': {
        const to = text('to');
        const value = parsed('value', () => parseInstant(to).getTime());
        return { request: { action: 'set', value }, command: fillCommand(clock.set, { to }) };
      }
      case 'stop':
        return { request: { action: 'stop' }, command: clock.stop };
      default:
        return { request: { action: 'resume' }, command: clock.resume };
    }
  }

  routes.get('/faults', async (c) =>
    showConsole(
      c,
      desk,
      { section: 'faults', title: 'Faults', live: 'everything' },
      <FaultsPage
        faults={await engine.faults.list()}
        commands={commands}
        token={token()}
        typed={typedForm(c, desk, sections.faults.path)}
      />,
    ),
  );

  routes.post('/faults', (c) =>
    act(
      c,
      desk,
      async (form) => {
        const { request, command } = readFault(form);
        const fault = check(faultBody, request);
        const id = await control.addFault(fault);
        const where = fault.route === '*' ? 'everywhere' : `for ${fault.route}`;
        return {
          back: pathBack(form, sections.faults.path),
          text: `Fault ${id} was added: ${fault.kind} ${where}.`,
          command,
        };
      },
      sections.faults.path,
    ),
  );

  function readFault(form: URLSearchParams): { request: object; command: string } {
    const names = ['kind', 'route', 'next', 'probability', 'status', 'delay'] as const;
    const given = Object.fromEntries(names.map((name) => [name, form.get(name)?.trim() ?? '']));
    const { kind, route, next, probability, status, delay } = given as Record<(typeof names)[number], string>;
    const request = {
      kind,
      ...(route !== '' && { route }),
      ...(next !== '' && { next: Number(next) }),
      ...(probability !== '' && { probability: Number(probability) }),
      ...(status !== '' && { status: Number(status) }),
      ...(delay !== '' && { delayMs: parsed('delayMs', () => parseDuration(delay)) }),
    };
    return { request, command: fillCommand(commands.fault.add, given) };
  }

  routes.post('/faults/clear', (c) =>
    act(
      c,
      desk,
      async (form) => {
        const id = form.get('all') === 'yes' ? undefined : faultId(form.get('id') ?? '');
        const cleared = await control.clearFaults(id);
        if (cleared === 0) throw new Refusal('not-found', 'There is no such fault any more.');
        return {
          back: sections.faults.path,
          text: cleared === 1 ? '1 fault was cleared.' : `${cleared} faults were cleared.`,
          command: commands.fault.clear(id),
        };
      },
      sections.faults.path,
    ),
  );
}

/** Never all of them by mistake: those have a button of their own. */
function faultId(text: string): number {
  if (text === '') throw new Refusal('invalid-request', 'Choose the fault to clear.');
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Refusal('not-found', `There is no fault ${text.slice(0, 40)}.`);
  return Number(text);
}

/** A value as the desk reads it; what is wrong with it in the same words. */
function parsed<T>(field: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof BadValue)
      throw invalidField(field, `${error.message.startsWith('must') ? '' : 'must be '}${error.message}`);
    throw error;
  }
}
