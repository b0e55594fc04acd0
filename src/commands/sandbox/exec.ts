import { rmSync } from 'node:fs';
import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { contentFlags } from '../../cli/flags/sandbox-flags.js';
import { errorLine } from '../../output/views/sandbox-start.js';
import { PendingError } from '../../errors.js';
import { findPaths } from '../../profiles/paths.js';
import { readDocument } from '../../cli/files/document.js';
import { chooseSettings } from '../../sandbox-control/settings.js';

export default class SandboxExec extends BaseCommand {
  static override summary = 'Run a command with a sandbox of its own.';
  static override description =
    'Starts a sandbox in memory on a free port, sets PAYDESK_BASE_URL, PAYDESK_APP_ID, PAYDESK_API_KEY, ' +
    'PAYDESK_KIND, PAYDESK_SANDBOX_URL and PAYDESK_SANDBOX_TOKEN for the command, and stops when the command ends. ' +
    'The exit code is that of the command. Without PAYDESK_HOME the command gets an empty one, which is removed ' +
    'afterwards.';
  static override examples = [
    '<%= config.bin %> sandbox exec -- npm test',
    '<%= config.bin %> sandbox exec --seed 7 --clock 2026-01-01T00:00:00Z -- npm test',
    '<%= config.bin %> sandbox exec --import fixture.json -- ./checkout-test.sh',
  ];
  static override args = {
    command: string({
      required: true,
      multiple: true,
      ignoreStdin: true,
      description: 'Command to run, with its arguments, after --.',
    }),
  };
  static override flags = contentFlags;

  protected override whyNoFlag(): string {
    return 'unknown option; put -- before the command to run';
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SandboxExec);
    const { env, stdin, stdinIsTerminal } = this.streams;
    const { execHome, runWithSandbox } = await import('../../sandbox-control/exec.js');
    const home = execHome(env);
    if (home.isOurs) this.atEnd(() => rmSync(home.path, { recursive: true, force: true }));
    const free = { host: '127.0.0.1', port: 0, memory: true };
    const settings = chooseSettings({ ...free, ...flags }, findPaths({ PAYDESK_HOME: home.path }).data);
    if (flags.import !== undefined) settings.contents = await readDocument(flags.import, stdin);
    const { startInForeground } = await import('../../sandbox-control/foreground.js');
    const sandbox = await startInForeground(settings, {
      signal: this.signal,
      onRequest: () => {},
      onNotSent: () => {},
      onError: (error) => this.note(errorLine(error, this.now())),
      profileOf: () => undefined,
    });
    this.atEnd(sandbox.close);
    // Nobody tells a command that is started later that the time is up, or that Ctrl-C came.
    this.signal.throwIfAborted();
    const code = await runWithSandbox(sandbox, home, args.command, {
      env,
      self: this.program.self,
      terminal: stdinIsTerminal,
      signal: this.signal,
    });
    if (isTimeUp(this.signal)) throw this.signal.reason;
    this.endWith(code);
  }
}

const isTimeUp = ({ aborted, reason }: AbortSignal): boolean => aborted && reason instanceof PendingError;
