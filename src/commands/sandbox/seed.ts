import { seededView } from '../../output/views/sandbox.js';
import { SandboxCommand } from '../../cli/sandbox-command.js';

export default class SandboxSeed extends SandboxCommand {
  static override summary =
    'Add a ready-made set: a payment in every state, and several kinds of stuck payment.';
  static override examples = [
    '<%= config.bin %> sandbox seed',
    '<%= config.bin %> sandbox seed --port 4010 --json',
  ];

  async run(): Promise<{ payments: number }> {
    const { flags } = await this.parse(SandboxSeed);
    const sandbox = await this.sandbox(flags);
    return this.show({ payments: await sandbox.seed() }, seededView);
  }
}
