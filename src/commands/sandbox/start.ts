import { boolean, custom } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import type { PaydeskError } from '../../errors.js';
import { parseCount } from '../../typed-values.js';
import {
  errorLine,
  isLogged,
  requestLine,
  seedNotes,
  skippedNotes,
  startedJson,
  startedView,
  type Started,
} from '../../output/views/sandbox-start.js';
import { findPaths } from '../../profiles/paths.js';
import { profileNameOf, storeSandboxProfiles } from '../../profiles/sandbox-profiles.js';
import { openProfiles } from '../../profiles/store.js';
import * as inputs from '../../cli/sandbox-flags.js';
import { chooseSettings } from '../../sandbox-control/settings.js';

export default class SandboxStart extends BaseCommand {
  static override summary = 'Serve the whole payments service on this machine.';
  static override description =
    'Runs until it is stopped: with Ctrl-C (exit code 130), SIGTERM or paydesk sandbox stop (exit code 0). What was ' +
    'answered is kept in its database. The profiles local and local-live are made to point at it.';
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --memory --port 0 --json',
    '<%= config.bin %> sandbox start --detach --database postgres://team@db.example/sandbox',
    '<%= config.bin %> sandbox start --answers errors=html --answers operations=empty',
  ];
  static override flags = {
    port: custom<number>({ parse: async (text) => inputs.parsePort(text) })({
      helpValue: 'N',
      default: 4010,
      summary: 'The port to listen on; 0 picks a free one.',
    }),
    host: custom({ parse: async (text) => inputs.parseLoopbackHost(text) })({
      helpValue: 'ADDRESS',
      default: '127.0.0.1',
      summary: 'The address to listen on, of this machine alone.',
    }),
    database: custom({ parse: async (text) => inputs.parseDatabase(text) })({
      helpValue: 'FILE|postgres://…',
      exclusive: ['memory'],
      summary: 'Where everything is kept (default: sandbox.db in the data folder).',
    }),
    memory: boolean({ summary: 'Keep everything in memory; it is gone when the sandbox stops.' }),
    seed: custom<number>({ parse: async (text) => parseCount(text, 0) })({
      helpValue: 'N',
      summary: 'Makes ids, keys and outcomes of a new database repeatable.',
    }),
    answers: custom({ parse: inputs.parseAnswer })({
      helpValue: 'NAME=VARIANT',
      multiple: true,
      summary: 'Answer another plausible way where the spec leaves a gap.',
    }),
    'rate-limit': custom<number>({ parse: async (text) => inputs.parseRate(text) })({
      helpValue: 'N/s',
      summary: 'Answer 429 to whatever comes faster.',
    }),
    'webhook-host': custom({ parse: async (text) => inputs.parseHostName(text) })({
      helpValue: 'HOST',
      multiple: true,
      summary: 'A host besides this machine that webhooks may go to.',
    }),
    'no-profiles': boolean({ summary: 'Leave the profiles local and local-live as they are.' }),
    detach: boolean({ summary: 'Leave it running in the background.' }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxStart);
    const { env } = this.streams;
    const chosen = chooseSettings(flags, findPaths(env).data);
    if (chosen.seed !== undefined) this.note(...seedNotes());
    if (flags.detach) {
      const { startInBackground } = await import('../../sandbox-control/background.js');
      const { logFile, ...sandbox } = await startInBackground(chosen, {
        self: this.program.self,
        env,
        signal: this.signal,
      });
      return this.#announce({ sandbox, logFile }, flags['no-profiles']);
    }
    // A program that reads the JSON need not read a log as well, unless it asks for one.
    const logs = !this.json || flags.debug;
    const { startInForeground } = await import('../../sandbox-control/foreground.js');
    const sandbox = await startInForeground(chosen, {
      signal: this.signal,
      onRequest: (line) => logs && isLogged(line) && this.note(requestLine(line, this.now())),
      onError: (error) => this.note(errorLine(error, this.now())),
      profileOf: (url, appId) => profileNameOf(openProfiles(env), url, appId),
    });
    this.atEnd(sandbox.close);
    await this.#announce({ sandbox }, flags['no-profiles']);
    if ((await sandbox.stopped) === 'interrupted') this.endAs(this.signal.reason as PaydeskError);
  }

  /** Says that requests are accepted; from then on the profiles point here too. */
  async #announce(started: Started, noProfiles: boolean): Promise<void> {
    const { sandbox } = started;
    for (const secret of [sandbox.controlToken, ...sandbox.apps.map(({ apiKey }) => apiKey)]) {
      this.secrets.add(secret);
    }
    if (!noProfiles) started.profiles = await storeSandboxProfiles(openProfiles(this.streams.env), sandbox);
    this.note(...skippedNotes(started));
    await this.emit(startedJson(started));
    this.show(started, startedView);
  }
}
