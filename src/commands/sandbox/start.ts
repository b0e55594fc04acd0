import { boolean, custom } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import type { PaydeskError } from '../../errors.js';
import {
  errorLine,
  isLogged,
  notSentLine,
  passwordNotes,
  remoteNotes,
  requestLine,
  seedNotes,
  skippedNotes,
  startedJson,
  startedView,
  type Started,
} from '../../output/views/sandbox-start.js';
import { stoppedLines } from '../../output/views/sandbox.js';
import { findPaths } from '../../profiles/paths.js';
import { profileNameOf, storeSandboxProfiles } from '../../profiles/sandbox-profiles.js';
import { openProfiles } from '../../profiles/store.js';
import { noteMovedProfiles } from '../../cli/desk/sandbox.js';
import * as inputs from '../../cli/flags/sandbox-flags.js';
import { readDocument } from '../../cli/files/document.js';
import { DEFAULT_PORT } from '../../sandbox-control/run.js';
import { chooseSettings, hasPassword } from '../../sandbox-control/settings.js';

export default class SandboxStart extends BaseCommand {
  static override summary = 'Start a test payment service on this machine.';
  static override description =
    'Runs until you stop it with Ctrl-C (exit code 130), SIGTERM or paydesk sandbox stop (exit code 0). ' +
    'Everything is kept in its database. The profiles local and local-live are created or updated to use ' +
    'it. With --json it prints JSON lines: the first one, when it accepts requests, has its address and keys.';
  static override examples = [
    '<%= config.bin %> sandbox start',
    '<%= config.bin %> sandbox start --memory --port 0 --json',
    '<%= config.bin %> sandbox start --detach --database postgres://team@db.example/sandbox',
    '<%= config.bin %> sandbox start --memory --import fixture.json --clock 2026-12-31T23:59:00Z',
    '<%= config.bin %> sandbox start --answers errors=html --answers operations=empty',
  ];
  static override flags = {
    port: custom<number>({ parse: async (text) => inputs.parsePort(text) })({
      helpValue: 'N',
      default: DEFAULT_PORT,
      summary: 'Port to listen on; 0 picks a free one.',
    }),
    host: custom({ parse: async (text) => inputs.parseHost(text) })({
      helpValue: 'ADDRESS',
      default: '127.0.0.1',
      summary: 'Address to listen on.',
    }),
    'allow-remote': boolean({
      summary: 'Let other machines use the sandbox, without encryption: for --host 0.0.0.0 or ::.',
    }),
    database: custom({ parse: async (text) => inputs.parseDatabase(text) })({
      helpValue: 'FILE|postgres://…',
      exclusive: ['memory'],
      summary: 'Database to use (default: PAYDESK_SANDBOX_DATABASE, or sandbox.db in the data folder).',
    }),
    ...inputs.contentFlags,
    memory: boolean({ summary: 'Keep everything in memory, until the sandbox stops.' }),
    'no-profiles': boolean({ summary: 'Do not create or change the profiles local and local-live.' }),
    detach: boolean({ summary: 'Run it in the background.' }),
  };

  protected override get printsJsonLines(): boolean {
    return true;
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxStart);
    inputs.checkRemote(flags);
    this.sent.assumeSome();
    const { env } = this.streams;
    const database = flags.database ?? inputs.databaseOf(env);
    const chosen = chooseSettings({ ...flags, database }, findPaths(env).data);
    if (flags['allow-remote']) this.note(...remoteNotes());
    if (hasPassword(flags.database)) this.note(...passwordNotes());
    if (flags.import !== undefined) chosen.contents = await readDocument(flags.import, this.streams.stdin);
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
    // Programs that read the JSON get no log, unless they ask for it.
    const logs = !this.json || flags.debug;
    const { startInForeground } = await import('../../sandbox-control/foreground.js');
    const sandbox = await startInForeground(chosen, {
      signal: this.signal,
      onRequest: (line) => logs && isLogged(line) && this.note(requestLine(line, this.now())),
      onNotSent: (text) => logs && this.note(notSentLine(text, this.now())),
      onError: (error) => this.note(errorLine(error, this.now())),
      profileOf: (url, appId) => profileNameOf(openProfiles(env), url, appId),
    });
    this.atEnd(() => {
      if (this.streams.stderr.terminal && !this.json) this.note(...stoppedLines(sandbox));
    });
    this.atEnd(sandbox.close);
    await this.#announce({ sandbox }, flags['no-profiles']);
    if ((await sandbox.stopped) === 'interrupted') this.endAs(this.signal.reason as PaydeskError);
  }

  /** Says that requests are accepted, and lets the profiles use this sandbox. */
  async #announce(started: Started, noProfiles: boolean): Promise<void> {
    const { sandbox } = started;
    for (const secret of [sandbox.controlToken, ...sandbox.apps.map(({ apiKey }) => apiKey)]) {
      this.secrets.add(secret);
    }
    if (!noProfiles) started.profiles = await storeSandboxProfiles(openProfiles(this.streams.env), sandbox);
    this.note(...skippedNotes(started));
    await this.emit(startedJson(started));
    this.show(started, startedView);
    await noteMovedProfiles(this.context, started.profiles?.moved ?? []);
  }
}
