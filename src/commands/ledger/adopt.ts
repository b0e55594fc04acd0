import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { openDatabase } from '../../cli/desk-database.js';
import { ledgerProblem } from '../../cli/ledger-guard.js';
import { GuardError, InterruptedError } from '../../errors.js';
import { adoptedView, adoptionLines, type Adoption } from '../../output/views/ledger-place.js';

export default class LedgerAdopt extends BaseCommand {
  static override summary = 'Accept a ledger that was copied, moved or restored.';
  static override description =
    'A ledger that is a copy, or older than what this desk sent, may not know of instructions that were sent, so ' +
    'paydesk refuses to use it on a live app. Adopting says that this is intended: make sure first that the other ' +
    'copy is no longer used. The ledger gets a new id, so plans that were made before cannot be applied any more, and ' +
    'the quiet period of every instruction that is not done starts again.';
  static override examples = ['<%= config.bin %> ledger adopt', '<%= config.bin %> ledger adopt --yes'];
  static override flags = {
    yes: boolean({ summary: 'Adopt it without asking; needed without a terminal.' }),
  };

  async run(): Promise<Adoption> {
    const { flags } = await this.parse(LedgerAdopt);
    const { env } = this.streams;
    const { place, close } = await openDatabase(env);
    this.atEnd(close);
    const { ledger } = place;
    const problem = await ledgerProblem(place, { env, program: this.program });
    if (problem === undefined) return this.show({ ledger, adopted: false, problem: null }, adoptedView);
    this.note(...adoptionLines(problem, ledger));
    if (!flags.yes) await this.#ask();
    const { id, formerId } = await place.adopt({ withoutLocks: problem === 'ledger-locks' });
    return this.show({ ledger, adopted: true, problem, id, formerId }, adoptedView);
  }

  async #ask(): Promise<void> {
    if (!this.interactive) {
      throw new GuardError('Adopting a ledger needs --yes without a terminal. Nothing was changed.', {
        code: 'confirmation-missing',
        next: ['paydesk ledger adopt --yes'],
      });
    }
    const { confirm } = await import('@inquirer/prompts');
    if (await confirm({ message: 'Adopt this ledger?', default: false }, this.promptContext)) return;
    throw new InterruptedError('Nothing was changed.', { code: 'declined' });
  }
}
