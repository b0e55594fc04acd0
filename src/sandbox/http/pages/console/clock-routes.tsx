import type { Hono } from 'hono';
import { type CommandTemplate, fillCommand } from '../../../console/commands.js';
import { timeText } from '../../../console/texts.js';
import { check, clockBody } from '../../../control/requests.js';
import { parseDuration, parseInstant } from '../../../../typed-values.js';
import { ClockPage } from './clock-page.js';
import {
  answerForm,
  FORM_PURPOSE,
  pathBack,
  sections,
  showConsole,
  typedForm,
  type ConsoleTools,
} from './console-frame.js';
import { readTyped } from './typed-field.js';

export function addClockRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine, control, commands } = desk;

  routes.get('/clock', async (c) =>
    showConsole(
      c,
      desk,
      { section: 'clock', title: 'Clock', live: 'everything' },
      <ClockPage
        {...await engine.clock.read()}
        commands={commands}
        token={desk.forms.token(FORM_PURPOSE)}
        typed={typedForm(c, desk, sections.clock.path)}
      />,
    ),
  );

  routes.post('/clock', (c) =>
    answerForm(
      c,
      desk,
      async (form) => {
        const { request, command } = readClock(form, commands);
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
}

function readClock(
  form: URLSearchParams,
  { clock }: ConsoleTools['commands'],
): { request: object; command: CommandTemplate } {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  switch (form.get('action')) {
    case 'advance': {
      const by = text('by');
      const value = readTyped('value', () => parseDuration(by));
      return { request: { action: 'advance', value }, command: fillCommand(clock.advance, { by }) };
    }
    case 'set': {
      const to = text('to');
      const value = readTyped('value', () => parseInstant(to).getTime());
      return { request: { action: 'set', value }, command: fillCommand(clock.set, { to }) };
    }
    case 'stop':
      return { request: { action: 'stop' }, command: clock.stop };
    default:
      return { request: { action: 'resume' }, command: clock.resume };
  }
}
