import { paydesk } from '../../next-command.js';
import { custom as argument } from '@oclif/core/args';
import { boolean, custom } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { eventText } from '../../cli/desk/session.js';
import type { ClientEvent } from '../../client/call.js';
import { requestHeaders } from '../../client/request-headers.js';
import { ProfileError } from '../../errors.js';
import { commandPiece, joinPieces } from '../../output/lines.js';
import type { Missing } from '../../output/report.js';
import { addedView } from '../../output/views/profiles.js';
import { profileSettingFlags, settingsOf, tlsFilesOf } from '../../cli/flags/profile-flags.js';
import { askForApiKey, askForProfile, readApiKey } from '../../profiles/ask.js';
import { accept, checkAppId, checkBaseUrl, checkName } from '../../profiles/checks.js';
import { connectionTo } from '../../profiles/connection.js';
import { type Kind, openProfiles } from '../../profiles/store.js';
import type { TlsFiles } from '../../profiles/tls-files.js';
import { tryKey } from '../../profiles/try-key.js';
import { summarise, type ProfileSummary } from '../../profiles/summary.js';

const exactlyOne = ['sandbox', 'live'];

export default class ProfilesAdd extends BaseCommand {
  static override summary = 'Add an app and its key as a profile.';
  static override examples = [
    '<%= config.bin %> profiles add shop-eu --base-url https://payments.example.com --app-id 7f31c2 --live',
    '<%= config.bin %> profiles add shop-test --base-url https://payments.example.com --app-id 90ab11 --sandbox --api-key-stdin < key.txt',
  ];
  static override args = {
    name: argument({ parse: async (text) => accept(checkName(text)) })({
      required: true,
      description: 'Name of the profile, for example shop-eu.',
    }),
  };
  static override flags = {
    'base-url': custom({ parse: async (text) => accept(checkBaseUrl(text)) })({
      required: true,
      helpValue: 'URL',
      summary: 'Address of the service: https, or http on this machine.',
    }),
    'app-id': custom({ parse: async (text) => accept(checkAppId(text)) })({
      required: true,
      helpValue: 'ID',
      summary: 'App ID, as shown in the management console.',
    }),
    sandbox: boolean({ exactlyOne, summary: 'The app uses test money.' }),
    live: boolean({ exactlyOne, summary: 'The app uses real money.' }),
    ...profileSettingFlags,
    'api-key-stdin': boolean({
      summary: 'Read the API key from stdin instead of asking for it.',
    }),
    'api-key': custom({
      // The error says what to do, and does not repeat the key.
      parse: async (text, command) => {
        (command as unknown as ProfilesAdd).secrets.addKey(text);
        throw new Error('others can see a key on the command line; use --api-key-stdin');
      },
    })({ hidden: true }),
  };

  /** If nobody can be asked for the key, it must come from stdin. */
  protected override async review(flags: Record<string, unknown>) {
    if (this.interactive || flags['api-key-stdin'] === true) return { bad: [], missing: [] };
    const problem = 'missing: pass the key on stdin';
    return { bad: [], missing: [{ name: 'api-key-stdin', input: '--api-key-stdin', problem }] };
  }

  protected override async ask(missing: readonly Missing[]): Promise<Record<string, unknown>> {
    const names = missing.map(({ name }) => name);
    return askForProfile(names, this.prompts());
  }

  async run(): Promise<ProfileSummary> {
    const { args, flags } = await this.parse(ProfilesAdd);
    this.sent.assumeSome();
    const profiles = openProfiles(this.streams.env);
    profiles.mustBeFree(args.name);
    const fromStdin = flags['api-key-stdin'];
    const apiKey = fromStdin ? await readApiKey(this.streams.stdin) : await askForApiKey(this.prompts());
    this.secrets.addKey(apiKey.reveal());
    const kind: Kind = flags.live ? 'live' : 'sandbox';
    const app = { baseUrl: flags['base-url'], appId: flags['app-id'], kind, apiKey };
    await this.#tryKey({ ...app, name: args.name }, tlsFilesOf(flags));
    const { profile } = await profiles.add({
      ...app,
      name: args.name,
      ...settingsOf(flags),
    });
    return this.show(summarise(profiles, profile), addedView);
  }

  /** A key that the service refuses, or an app of the other kind, is not stored. A key that cannot be tried may be right. */
  async #tryKey(
    { name, ...app }: Parameters<typeof tryKey>[0] & { name: string },
    tls: TlsFiles,
  ): Promise<void> {
    const onEvent = (event: ClientEvent) => this.trace?.(eventText(event));
    const connection = await connectionTo({ ...app, tls }, this.streams.env, this.secrets);
    const headers = requestHeaders(this.streams.env, this.config.version);
    const trial = await tryKey(app, { onEvent, connection, headers, signal: this.signal });
    if (trial.result === 'accepted') return this.note('The service accepted the key.');
    if (trial.result === 'not-tried') {
      const doctor = commandPiece(paydesk('doctor'), name);
      return this.note(joinPieces(`The key was not tried: ${trial.why} Try it later: `, doctor));
    }
    const { code, httpStatus, message } = trial.error;
    if (trial.result === 'wrong-app') {
      const text = `${message} Nothing was stored. Check --app-id and --${app.kind}.`;
      throw new ProfileError(text, { code, cause: trial.error });
    }
    throw new ProfileError(
      `The service at ${app.baseUrl} refused this key for app ${app.appId}: ${message} Nothing was stored.`,
      { code, httpStatus, cause: trial.error },
    );
  }
}
