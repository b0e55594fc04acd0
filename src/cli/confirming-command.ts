import { string } from '@oclif/core/flags';
import { InterruptedError } from '../errors.js';
import { askToConfirm, checkConfirmation, type LiveGuard } from './live-guard.js';
import type { Line } from '../output/lines.js';
import type { KnownProfile } from '../profiles/resolve.js';
import { DeskCommand } from './desk-command.js';

/** A command that takes something away that cannot be brought back, and asks before it does. */
export abstract class ConfirmingCommand extends DeskCommand {
  static override baseFlags = {
    ...DeskCommand.baseFlags,
    confirm: string({
      helpValue: 'APP_ID',
      summary: 'App ID to confirm: required on a live app without a terminal.',
    }),
  };

  /** Refuses before anything is read or sent what nobody can confirm. */
  protected openGuard(profile: KnownProfile, confirm: string | undefined): LiveGuard {
    const guard: LiveGuard = {
      profile,
      confirm,
      interactive: this.interactive,
      dryRun: false,
      note: (...lines) => this.note(...lines),
      prompts: () => this.promptContext,
    };
    checkConfirmation(guard, this.typed);
    return guard;
  }

  /** A live app wants its App ID; on a sandbox a yes will do, and without a terminal nothing is asked there. */
  protected async askFirst(guard: LiveGuard, question: Line): Promise<void> {
    if (guard.profile.kind === 'live') return askToConfirm(guard, { lines: [question] });
    if (!this.interactive || guard.confirm !== undefined) return;
    this.note(question);
    const { confirm } = await import('@inquirer/prompts');
    if (await confirm({ message: 'Continue?', default: false }, this.promptContext)) return;
    throw new InterruptedError('Nothing was changed.', { code: 'declined' });
  }
}
