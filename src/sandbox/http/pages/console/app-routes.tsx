import type { Hono } from 'hono';
import { type CommandTemplate, fillCommand } from '../../../console/commands.js';
import { readKey, writeKey } from '../../../console/ranges.js';
import { appPatch, check } from '../../../control/requests.js';
import { invalidField } from '../../../domain/refusal.js';
import { AppsPage } from './apps-page.js';
import {
  answerForm,
  FORM_PURPOSE,
  sections,
  showConsole,
  typedForm,
  type ConsoleTools,
} from './console-frame.js';

const APPS_PER_PAGE = 4;

export function addAppRoutes(routes: Hono, desk: ConsoleTools): void {
  const { engine, control, commands } = desk;
  const { path } = sections.apps;

  routes.get('/apps', async (c) => {
    const all = await engine.apps.all();
    const from = readKey(c.req.query('key'), ['number'])?.[0] ?? 0;
    const isMore = all.length > from + APPS_PER_PAGE;
    return showConsole(
      c,
      desk,
      { section: 'apps', title: 'Apps' },
      <AppsPage
        apps={all.slice(from, from + APPS_PER_PAGE)}
        next={isMore ? writeKey([from + APPS_PER_PAGE]) : undefined}
        isFirst={from === 0}
        commands={commands}
        token={desk.forms.token(FORM_PURPOSE)}
        typed={(of) => typedForm(c, desk, of)}
      />,
    );
  });

  routes.post('/apps/:id', (c) => {
    const id = c.req.param('id');
    return answerForm(
      c,
      desk,
      async (form) => {
        const { patch, text, command } = changeOf(form, id);
        const app = await control.changeApp(id, check(appPatch, patch));
        return { back: path, about: app.friendly_name, text: `${text}.`, command };
      },
      path,
    );
  });

  function changeOf(
    form: URLSearchParams,
    id: string,
  ): { patch: object; text: string; command: CommandTemplate } {
    const what = form.get('what') ?? '';
    if (what === 'webhook') {
      const url = form.get('url')?.trim() ?? '';
      return {
        patch: { webhookUrl: url === '' ? null : url },
        text: url === '' ? 'no webhook address any more' : `webhooks go to ${url}`,
        command: fillCommand(commands.app.webhook(id), { url }),
      };
    }
    if (what === 'policy') {
      const policy = form.get('policy') ?? '';
      return {
        patch: { fraudPolicyId: policy === '' ? null : Number(policy) },
        text: policy === '' ? 'no fraud policy any more' : `fraud policy ${policy}`,
        command: fillCommand(commands.app.policy(id), { policy }),
      };
    }
    if (what !== 'block' && what !== 'unblock') throw invalidField('what', 'is not something to change');
    const isBlocked = what === 'block';
    return {
      patch: { isBlocked },
      text: isBlocked ? 'its calls are blocked' : 'its calls are answered again',
      command: commands.app.blocked(id, isBlocked),
    };
  }
}
