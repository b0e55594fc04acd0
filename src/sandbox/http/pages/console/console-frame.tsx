import type { Context } from 'hono';
import type { Child } from 'hono/jsx';
import type { Control } from '../../../control/control.js';
import type { Commands } from '../../../console/commands.js';
import type { LiveFeed } from '../../../console/live.js';
import type { ActionResult, Results, TypedForm } from '../../../console/results.js';
import { refusedForm } from '../../../console/refused-form.js';
import { timeText } from '../../../console/texts.js';
import { Refusal } from '../../../domain/refusal.js';
import type { SandboxEngine } from '../../../engine.js';
import type { Addresses } from '../../addresses.js';
import { showPage } from '../page.js';
import { plain, Text } from '../text.js';
import type { FormGuard } from '../page-security.js';
import { CommandBlock } from './command.js';
import { CONSOLE_PATH } from './console-access.js';
import { consoleScript } from './console-script.js';
import { consoleStyle } from './console-style.js';

/** What every part of the console works with. */
export interface ConsoleTools {
  engine: SandboxEngine;
  control: Control;
  addresses: Addresses;
  commands: Commands;
  forms: FormGuard;
  live: LiveFeed;
  results: Results;
}

export const sections = {
  payments: { title: 'Payments', path: CONSOLE_PATH },
  customers: { title: 'Customers', path: `${CONSOLE_PATH}/customers` },
  apps: { title: 'Apps', path: `${CONSOLE_PATH}/apps` },
  webhooks: { title: 'Webhooks', path: `${CONSOLE_PATH}/webhooks` },
  clock: { title: 'Clock', path: `${CONSOLE_PATH}/clock` },
  faults: { title: 'Faults', path: `${CONSOLE_PATH}/faults` },
} as const;

type Section = keyof typeof sections;

interface Shown {
  section: Section;
  title: string;
  status?: 404;
  /** Tables need all the room there is. */
  width?: 'full';
  /** What the page watches: one payment or everything; absent when it stays as it is. */
  live?: number | 'everything' | undefined;
}

export async function showConsole(
  c: Context,
  desk: ConsoleTools,
  { section, title, status, width, live }: Shown,
  content: Child,
): Promise<Response> {
  const result = desk.results.find(c.req.query('result'));
  const { now, stopped } = await desk.engine.clock.read();
  return showPage(
    c,
    {
      title: `${title} – paydesk sandbox`,
      ...(status !== undefined && { status }),
      width: width ?? 'wide',
      style: consoleStyle,
      script: consoleScript,
      live: true,
      top: <Top section={section} live={live} />,
      foot: (
        <p id="clock" data-live>
          Times are UTC by the sandbox’s clock: {timeText(now)}
          {stopped && ', stopped'}
        </p>
      ),
    },
    <div class="stack-wide">
      {result !== undefined && (
        <div class={`notice tone-${result.tone}`} role={result.tone === 'bad' ? 'alert' : 'status'}>
          <p>
            {result.about !== undefined && (
              <>
                <Text of={result.about} />:{' '}
              </>
            )}
            {plain(result.text)}
          </p>
          {result.command !== undefined && (
            <details>
              <summary>The same in a terminal</summary>
              <CommandBlock template={result.command} />
            </details>
          )}
        </div>
      )}
      {content}
      <p id="said" class="visually-hidden" aria-live="polite"></p>
    </div>,
  );
}

export function showNothing(c: Context, desk: ConsoleTools): Promise<Response> {
  return showConsole(
    c,
    desk,
    { section: 'payments', title: 'Not found', status: 404 },
    <div class="card stack">
      <h1>Not found</h1>
      <p>
        There is no such page, or what it showed was removed. <a href={CONSOLE_PATH}>Go to the payments</a>
      </p>
    </div>,
  );
}

function Top({ section, live }: Pick<Shown, 'section' | 'live'>) {
  const url = `${CONSOLE_PATH}/live${typeof live === 'number' ? `?payment=${live}` : ''}`;
  return (
    <>
      <span class="brand">paydesk sandbox</span>
      <span class="live">
        {live !== undefined && <span id="live" role="status" data-url={url} hidden></span>}
      </span>
      <nav aria-label="Console">
        {Object.entries(sections).map(([name, { title, path }]) => (
          <a href={path} {...(name === section && { 'aria-current': 'page' })}>
            {title}
          </a>
        ))}
      </nav>
    </>
  );
}

/** One token for all forms of the console: a visitor who may press one button may press all. */
export const FORM_PURPOSE = 'console';

/**
 * Carries out a form and goes back to a page that shows the result, which `run` returns in words. After a refusal
 * the form is shown again as it was.
 */
export async function answerForm(
  c: Context,
  desk: ConsoleTools,
  run: (form: URLSearchParams) => Promise<{ back: string } & Omit<ActionResult, 'tone' | 'form'>>,
  back: string,
): Promise<Response> {
  const form = await desk.forms.read(c, FORM_PURPOSE);
  try {
    const { back: next, ...done } = await run(form);
    return goBack(c, next, desk.results.keep({ tone: 'good', ...done }));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const refused = refusedForm(c.req.path, form, error);
    const text = `Nothing was changed. ${refused.text}`;
    return goBack(c, pathBack(form, back), desk.results.keep({ tone: 'bad', text, form: refused.form }));
  }
}

/** The form that the last button sent, when it was refused and was one of those at this path. */
export function typedForm(c: Context, desk: ConsoleTools, path: string): TypedForm | undefined {
  const form = desk.results.find(c.req.query('result'))?.form;
  return form?.path === path ? form : undefined;
}

/** The page that a form was on, when it says so and it is one of the console. */
export function pathBack(form: URLSearchParams, usual: string): string {
  const back = form.get('back') ?? '';
  return /^\/console(\/[a-z0-9]+)*$/.test(back) ? back : usual;
}

function goBack(c: Context, path: string, result: string): Response {
  return c.redirect(`${path}${path.includes('?') ? '&' : '?'}result=${result}`, 303);
}
