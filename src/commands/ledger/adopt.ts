import { paydesk } from '../../next-command.js';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { openLedger } from '../../cli/desk/desk-database.js';
import { ledgerProblem } from '../../cli/desk/ledger-guard.js';
import { GuardError, InterruptedError } from '../../errors.js';
import { adoptedView, adoptionLines, type Adoption } from '../../output/views/ledger-place.js';

export default class LedgerAdopt extends BaseCommand {
  static override summary = 'Accept a ledger that was copied, moved or restored.';
  static override description =
    'A copied or older ledger may miss instructions that were sent, so paydesk refuses to use it on a ' +
    'live app. Make sure that the other copy is no longer used before you adopt this one. The ledger ' +
    'gets a new ID: earlier batch plans can no longer be applied, the quiet period of every unfinished ' +
    'instruction starts again, and nothing is sent with it before one quiet period has passed.';
  static override examples = ['<%= config.bin %> ledger adopt', '<%= config.bin %> ledger adopt --yes'];
  static override flags = {
    yes: boolean({ summary: 'Adopt without asking; required without a terminal.' }),
  };

  async run(): Promise<Adoption> {
    const { flags } = await this.parse(LedgerAdopt);
    this.sent.assumeSome();
    const { place } = await openLedger(this.context);
    const { ledger } = place;
    const problem = await ledgerProblem(this.context, place);
    if (problem === undefined) return this.show({ ledger, adopted: false, problem: null }, adoptedView);
    this.note(...adoptionLines(problem, ledger));
    if (!flags.yes) await this.#ask();
    const { id, formerId } = await place.adopt({ withoutLocks: problem === 'ledger-locks' });
    return this.show({ ledger, adopted: true, problem, id, formerId }, adoptedView);
  }

  async #ask(): Promise<void> {
    if (!this.interactive) {
      throw new GuardError('Adopting a ledger must be confirmed with --yes. Nothing was changed.', {
        code: 'confirmation-missing',
        next: [paydesk('ledger', 'adopt', '--yes')],
      });
    }
    const { confirm } = await import('../../prompts.js');
    if (await confirm({ message: 'Adopt this ledger?', default: false }, this.prompts())) return;
    throw new InterruptedError('Nothing was changed.', { code: 'declined' });
  }
}
