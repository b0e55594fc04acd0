import type { Hono } from 'hono';
import { counted } from '../../../../contract/amount-format.js';
import { type CommandTemplate, fillCommand } from '../../../console/commands.js';
import { check, faultBody } from '../../../control/requests.js';
import { Refusal } from '../../../domain/refusal.js';
import { parseDuration } from '../../../../typed-values.js';
import {
  answerForm,
  FORM_PURPOSE,
  pathBack,
  sections,
  showConsole,
  typedForm,
  type ConsoleTools,
} from './console-frame.js';
import { FaultsPage } from './faults-page.js';
import { readTyped } from './typed-field.js';

export function addFaultRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine, control, commands } = desk;

  routes.get('/faults', async (c) =>
    showConsole(
      c,
      desk,
      { section: 'faults', title: 'Faults', live: 'everything' },
      <FaultsPage
        faults={await engine.faults.list()}
        commands={commands}
        token={desk.forms.token(FORM_PURPOSE)}
        typed={typedForm(c, desk, sections.faults.path)}
      />,
    ),
  );

  routes.post('/faults', (c) =>
    answerForm(
      c,
      desk,
      async (form) => {
        const { request, command } = readFault(form, commands);
        const fault = check(faultBody, request);
        const { id } = await control.addFault(fault);
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

  routes.post('/faults/clear', (c) =>
    answerForm(
      c,
      desk,
      async (form) => {
        const id = form.get('all') === 'yes' ? undefined : faultId(form.get('id') ?? '');
        const cleared = await control.clearFaults(id);
        if (cleared === 0) throw new Refusal('not-found', 'There is no such fault any more.');
        return {
          back: sections.faults.path,
          text: `${counted(cleared, 'fault was', 'faults were')} cleared.`,
          command: commands.fault.clear(id),
        };
      },
      sections.faults.path,
    ),
  );
}

function readFault(
  form: URLSearchParams,
  commands: ConsoleTools['commands'],
): { request: object; command: CommandTemplate } {
  const names = ['kind', 'route', 'next', 'probability', 'status', 'delay'] as const;
  const given = Object.fromEntries(names.map((name) => [name, form.get(name)?.trim() ?? '']));
  const { kind, route, next, probability, status, delay } = given as Record<(typeof names)[number], string>;
  const request = {
    kind,
    ...(route !== '' && { route }),
    ...(next !== '' && { next: Number(next) }),
    ...(probability !== '' && { probability: Number(probability) }),
    ...(status !== '' && { status: Number(status) }),
    ...(delay !== '' && { delayMs: readTyped('delayMs', () => parseDuration(delay)) }),
  };
  return { request, command: fillCommand(commands.fault.add, given) };
}

/** Never all of them by mistake: those have a button of their own. */
function faultId(text: string): number {
  if (text === '') throw new Refusal('invalid-request', 'Choose the fault to clear.');
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Refusal('not-found', `There is no fault ${text.slice(0, 40)}.`);
  return Number(text);
}
