// The commands that stand beside the buttons of the console: what each would be at a shell.

/**
 * Puts values into a command: `{name}` becomes the value as a shell takes it, what is in `[…]` is left out when its
 * value is empty, and what is in `[!name …]` when it is not. Needs nothing from outside: the pages run this very function when a choice is changed.
 */
export function fillCommand(template: string, values: Readonly<Record<string, string | undefined>>): string {
  const word = (text: string) =>
    /^(?![~=])[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  return template
    .replace(/\[(?:!(\w+))?([^\]]*)\]/g, (_, without: string | undefined, part: string) => {
      const isThere = Boolean(values[without ?? /\{(\w+)\}/.exec(part)?.[1] ?? '']);
      return isThere === (without === undefined) ? part : '';
    })
    .replace(/\{(\w+)\}/g, (_, name: string) => word(values[name] ?? ''));
}

/**
 * One of several sandboxes may be meant, and one of several apps: a command of the sandbox names its port, one of the
 * desk its profile. Copied, it acts on what the page shows.
 */
export function createCommands(url: string, profileOf: (appId: string) => string | undefined) {
  const port = Number(new URL(url).port);
  const own = (template: string) => `paydesk sandbox ${template} --port ${port}`;
  return {
    /** A command of the desk for one app; undefined when no profile points at it. */
    desk(appId: string, words: string, argument?: string): string | undefined {
      const profile = profileOf(appId);
      if (profile === undefined) return undefined;
      // After `--` nothing is taken for a flag, whatever it looks like.
      const last = argument === undefined ? '' : ` ${argument.startsWith('-') ? '-- ' : ''}{argument}`;
      return fillCommand(`paydesk ${words} --profile {profile}${last}`, { profile, argument });
    },
    /** What makes a profile for an app. */
    addProfile: (appId: string, isSandbox: boolean) =>
      `paydesk profiles add my-app --base-url ${url} --app-id ${appId} --${isSandbox ? 'sandbox' : 'live'}`,
    pay: (id: number) => own(`pay ${id} --card {card}`),
    challenge: (id: number, result: 'passed' | 'failed') => own(`pay ${id} --challenge ${result}`),
    provider: (id: number, answer: 'confirm' | 'decline' | 'hold') => own(`provider ${id} ${answer}`),
    resend: (id: number, webhook: number) => own(`resend ${id} --webhook ${webhook}`),
    seed: own('seed'),
    status: own('status'),
    clock: {
      advance: own('clock advance {by}'),
      set: own('clock set {to}'),
      stop: own('clock stop'),
      resume: own('clock resume'),
    },
    fault: {
      add: own(
        'fault add {kind}[ --route {route}][ --next {next}][ --probability {probability}][ --status {status}][ --delay {delay}]',
      ),
      clear: (id: number | undefined) => own(id === undefined ? 'fault clear' : `fault clear ${id}`),
    },
    app: {
      list: own('apps list --json'),
      webhook: (app: string) => own(`apps set ${app}[ --webhook-url {url}][!url --no-webhook]`),
      policy: (app: string) => own(`apps set ${app}[ --fraud-policy {policy}][!policy --no-fraud-policy]`),
      blocked: (app: string, blocked: boolean) => own(`apps set ${app} --${blocked ? '' : 'no-'}blocked`),
    },
  };
}

export type Commands = ReturnType<typeof createCommands>;
