import type { Commands } from '../../../console/commands.js';
import type { TypedForm } from '../../../console/results.js';
import { durationText } from '../../../console/texts.js';
import { shorten } from '../../../../shorten.js';
import type { App } from '../../../domain/apps.js';
import { Words } from '../command-words.js';
import { FormField, Form } from '../form.js';
import { plain, Text } from '../text.js';
import { CommandBlock } from './command.js';
import { sections } from './console-frame.js';
import { Fact, Pager, Select } from './pieces.js';

interface AppsProps {
  apps: App[];
  next: string | undefined;
  isFirst: boolean;
  commands: Commands;
  token: string;
  /** The form of an app that was refused. */
  typed(path: string): TypedForm | undefined;
}

export function AppsPage({ apps, next, isFirst, commands, token, typed }: AppsProps) {
  return (
    <>
      <h1>Apps</h1>
      {apps.map((app) => (
        <AppCard app={app} commands={commands} token={token} typed={typed(appPath(app.app_id))} />
      ))}
      <Pager
        path={sections.apps.path}
        query={{}}
        next={next}
        isFirst={isFirst}
        older="More apps"
        first="First page"
      />
    </>
  );
}

interface AppProps {
  app: App;
  commands: Commands;
  token: string;
  typed: TypedForm | undefined;
}

function AppCard(props: AppProps) {
  const { app, commands } = props;
  const id = app.app_id;
  const blocked = app.is_blocked === 1;
  const policy = app.policies.find((each) => each.fraud_policy_id === app.fraud_policy_id);
  return (
    <section class="card stack" aria-labelledby={`app-${id}`}>
      <div class="row apart">
        <h2 id={`app-${id}`}>
          <Text of={shorten(app.friendly_name, 80)} />
        </h2>
        <span class={`badge tone-${blocked ? 'bad' : 'good'}`}>{blocked ? 'blocked' : 'open'}</span>
      </div>
      <dl class="pairs one">
        <Fact name="App ID">
          <code>{id}</code>
        </Fact>
        <Fact name="Kind">{app.is_sandbox === 1 ? 'sandbox' : 'live (for practice)'}</Fact>
        <Fact name="API key">
          ends in {app.api_key.slice(-4)}. To see it:{' '}
          <code>
            <Words of={commands.app.list} />
          </code>
        </Fact>
        <Fact name="Webhooks to">
          <Text of={app.webhook_url === null ? 'no address' : shorten(app.webhook_url, 200)} />
        </Fact>
        <Fact name="Fraud policy">
          <Text of={policy ? shorten(policy.name, 60) : 'none'} />
        </Fact>
        <Fact name="Providers">
          <ul class="quiet-list">
            {app.profiles.slice(0, MAX_LISTED).map((profile) => (
              <li>
                {profile.payment_profile_id} <Text of={shorten(profile.name, 40)} />: {profile.method_type}
                {profile.is_active === 1 ? '' : ', not active'}, window {durationText(profile.window_ms)}
                {profile.delay_ms > 0 && `, answers after ${durationText(profile.delay_ms)}`}
              </li>
            ))}
          </ul>
        </Fact>
      </dl>
      <Changes {...props} />
    </section>
  );
}

function Changes({ app, commands, token, typed }: AppProps) {
  const id = app.app_id;
  const path = appPath(id);
  const blocked = app.is_blocked === 1;
  const policies = app.policies.slice(0, MAX_LISTED);
  const url = typed?.values['url'] ?? app.webhook_url ?? '';
  const policy = typed?.values['policy'] ?? String(app.fraud_policy_id ?? '');
  return (
    <details open={typed !== undefined}>
      <summary>
        Change <Text of={shorten(app.friendly_name, 40)} />
      </summary>
      <div class="stack">
        <div>
          <Form action={path} token={token} id={`hook-${id}`}>
            <input type="hidden" name="what" value="webhook" />
            <div class="inline">
              <FormField
                id={`url-${id}`}
                name="url"
                label="Webhook address"
                value={url}
                error={typed?.errors['url']}
                focus={typed?.errors['url'] !== undefined}
                hint="Leave empty for none. Only addresses on this machine, unless sandbox start allowed others."
                input={{ inputmode: 'url' }}
              />
              <button>Save address</button>
            </div>
          </Form>
          <CommandBlock template={commands.app.webhook(id)} values={{ url }} form={`hook-${id}`} />
        </div>
        <div>
          <Form action={path} token={token} id={`policy-${id}`}>
            <input type="hidden" name="what" value="policy" />
            <div class="inline">
              <Select
                id={`fraud-${id}`}
                name="policy"
                label="Fraud policy"
                options={[
                  ['', 'none'],
                  ...policies.map(
                    ({ fraud_policy_id, name }) =>
                      [String(fraud_policy_id), plain(shorten(name, 60))] as const,
                  ),
                ]}
                chosen={policy}
              />
              <button>Save policy</button>
            </div>
          </Form>
          <CommandBlock template={commands.app.policy(id)} values={{ policy }} form={`policy-${id}`} />
        </div>
        <div>
          <Form action={path} token={token}>
            <input type="hidden" name="what" value={blocked ? 'unblock' : 'block'} />
            <button class={blocked ? '' : 'danger'}>{blocked ? 'Unblock this app' : 'Block this app'}</button>
          </Form>
          <CommandBlock template={commands.app.blocked(id, !blocked)} />
        </div>
      </div>
    </details>
  );
}

const appPath = (id: string): string => `${sections.apps.path}/${id}`;

/** Longer lists belong to the command line. */
const MAX_LISTED = 12;
