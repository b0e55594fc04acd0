import { string } from '@oclif/core/args';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { type CompletionCandidate, findCandidates } from '../../cli/completion/candidates.js';
import { createKnown } from '../../cli/completion/known.js';
import { joinWords, type Shell, shellCandidate, shells } from '../../cli/completion/scripts.js';

export default class CompletionWords extends BaseCommand {
  static override summary = 'List completions; used by the scripts that `completion` prints.';
  static override hidden = true;
  static override strict = false;
  static override args = { shell: string({ required: true, options: [...shells] }) };

  async run(): Promise<CompletionCandidate[]> {
    const { args } = await this.parse(CompletionWords);
    const shell = args.shell as Shell;
    const { words, cut } = joinWords(shell, this.argv.slice(this.argv.indexOf('--') + 1));
    const found = await findCandidates(words, createKnown(this.program, this.streams.env));
    const shown = found.map((candidate) => ({ ...candidate, value: candidate.value.slice(cut.length) }));
    this.print(...shown.map((candidate) => shellCandidate(shell, candidate)));
    return shown;
  }
}
