// Every environment variable that paydesk reads. docs/environment.md is made from this table, and a test finds what is
// read and not listed here.

interface EnvironmentVariable {
  name: string;
  summary: string;
}

export const environmentVariables: Readonly<Record<string, readonly EnvironmentVariable[]>> = {
  'Which app': [
    {
      name: 'PAYDESK_PROFILE',
      summary: 'Profile to use, as with `--profile`. Ignored where the next three are set; `whoami` says so.',
    },
    {
      name: 'PAYDESK_BASE_URL',
      summary: 'Address of the service. With the next two, no stored profile is needed.',
    },
    { name: 'PAYDESK_APP_ID', summary: 'App ID.' },
    { name: 'PAYDESK_API_KEY', summary: 'API key.' },
    {
      name: 'PAYDESK_KIND',
      summary:
        '`sandbox` or `live`. Without it an app is live; on this machine paydesk checks with the service.',
    },
  ],
  'How paydesk works': [
    {
      name: 'PAYDESK_HOME',
      summary:
        "Folder for profiles, keys and data, as an absolute path (default: the platform's folders in your home; a HOME that is empty or relative is ignored).",
    },
    { name: 'PAYDESK_DATABASE', summary: 'Ledger, inbox and batches of a team: `postgres://…`.' },
    {
      name: 'PAYDESK_SANDBOX_DATABASE',
      summary: 'Database of `sandbox start` where `--database` is not given. The place for a password.',
    },
    {
      name: 'PAYDESK_QUIET_PERIOD',
      summary:
        "How long the service may take to show what it did, for example `30m` (default: the profile's, 10m).",
    },
    {
      name: 'PAYDESK_KEEP',
      summary:
        'How long known payments that are not seen again, webhooks and unfinished imports are kept, for example `90d` (default: for ever).',
    },
    {
      name: 'PAYDESK_READ_ONLY',
      summary:
        '`1` refuses every command that would change something at the service, with exit code 9 and before any request.',
    },
    {
      name: 'PAYDESK_STATE_ALIASES',
      summary:
        "The service's state names and ours: `Voided=Cancelled,Settled=Captured`. They win over the profile's.",
    },
    { name: 'PAYDESK_DEBUG', summary: '`1` prints requests and timings to stderr, as `--debug` does.' },
    {
      name: 'PAYDESK_SSH_CONFIG',
      summary: 'Configuration file for `ssh`, for `webhook listen --tunnel ssh`.',
    },
    { name: 'CI', summary: 'Never ask. `false` or `0` says that this is no CI job.' },
    { name: 'TRACEPARENT', summary: 'W3C trace context, sent to the service with every request.' },
  ],
  Network: [
    {
      name: 'HTTPS_PROXY',
      summary: 'Proxy for a service with an https address: `http://USER:PASSWORD@HOST:PORT`, or https.',
    },
    {
      name: 'NO_PROXY',
      summary:
        'Hosts that are reached directly, separated by commas: `example.com` (with everything below), ' +
        '`*.example.com`, `example.com:8443` or `*`. This machine is never reached through a proxy, unless NO_PROXY is ' +
        'set and empty and the address is https.',
    },
    {
      name: 'NODE_EXTRA_CA_CERTS',
      summary: 'PEM file with certificate authorities to trust as well. Read by Node.',
    },
    { name: 'NODE_TLS_REJECT_UNAUTHORIZED', summary: 'Ignored: certificates are always checked.' },
  ],
  Terminal: [
    { name: 'NO_COLOR', summary: 'No colours.' },
    { name: 'FORCE_COLOR', summary: 'Colours in a pipe, too; `0` for none.' },
    { name: 'TERM', summary: '`dumb` for no colours and no live screens.' },
  ],
  'Folders and programs of the system': [
    { name: 'XDG_CONFIG_HOME', summary: 'Linux: where the folder for profiles is.' },
    { name: 'XDG_DATA_HOME', summary: 'Linux: where the folder for data is.' },
    { name: 'APPDATA', summary: 'Windows: where the folder for profiles is.' },
    { name: 'LOCALAPPDATA', summary: 'Windows: where the folders for data and for compiled code are.' },
    {
      name: 'XDG_CACHE_HOME',
      summary:
        'Where the folder for compiled code is (default: `~/.cache`; `~/Library/Caches` on macOS). It can be removed at any time.',
    },
    { name: 'HOME', summary: 'Linux and macOS: where all these folders are by default.' },
    { name: 'NODE_DISABLE_COMPILE_CACHE', summary: '`1` keeps no compiled code. Starts take longer.' },
    { name: 'XDG_RUNTIME_DIR', summary: 'Linux: how the keyring is found.' },
    { name: 'DBUS_SESSION_BUS_ADDRESS', summary: 'Linux: how the keyring is found.' },
    { name: 'PATH', summary: 'Where the programs for tunnels are.' },
  ],
  'The name of a CI job in the ledger': [
    { name: 'GITHUB_ACTIONS', summary: 'With GITHUB_REPOSITORY, GITHUB_RUN_ID and GITHUB_ACTOR.' },
    { name: 'GITHUB_REPOSITORY', summary: 'Repository of the job.' },
    { name: 'GITHUB_RUN_ID', summary: 'Run of the job.' },
    { name: 'GITHUB_ACTOR', summary: 'Who started it.' },
    { name: 'GITLAB_CI', summary: 'With CI_JOB_URL or CI_JOB_ID, and GITLAB_USER_LOGIN.' },
    { name: 'CI_JOB_URL', summary: 'Address of the job.' },
    { name: 'CI_JOB_ID', summary: 'Number of the job.' },
    { name: 'GITLAB_USER_LOGIN', summary: 'Who started it.' },
    { name: 'BUILD_URL', summary: 'Address of the job in other services, such as Jenkins.' },
    { name: 'BUILD_ID', summary: 'Number of the job in other services.' },
  ],
};

/** docs/environment.md */
export function environmentPage(): string {
  const sections = Object.entries(environmentVariables).map(([title, variables]) => {
    const rows = variables.map(({ name, summary }) => `- \`${name}\`: ${summary}`);
    return `## ${title}\n\n${rows.join('\n')}\n`;
  });
  return [
    '# Environment variables\n',
    'Made from the table in `test/docs/environment-variables.ts`. Flags win over variables, and variables over the stored',
    'profile. The names of proxies are read in lower case first. Whether this is a CI job is also seen by the variables',
    'that the common CI services set.\n',
    'Only requests to the service use a proxy, and only those to an https address: a proxy could read the key of a plain',
    'one. Webhooks are forwarded, and a sandbox is controlled, without a proxy. Its user name and password are never shown.\n',
    'On a read-only desk, `payments recheck` and `payments resolve` are refused as well, because a recheck may change the',
    'state at the service. `payments check`, `customers panel-link`, `batch plan` and every `--dry-run` work: they only',
    'read. Commands on a sandbox control the sandbox and not an app, and are not affected.\n',
    sections.join('\n'),
  ].join('\n');
}
