// What stands between a command and real money: the banner, and a confirmation that names the app.

import type { input } from '@inquirer/prompts';
import { sameAmount } from '../contract/money.js';
import { GuardError, InterruptedError } from '../errors.js';
import type { Line } from '../output/lines.js';
import { liveBanner } from '../output/views/live.js';
import type { KnownProfile } from '../profiles/resolve.js';

export type PromptContext = NonNullable<Parameters<typeof input>[1]>;

export interface LiveGuard {
  profile: KnownProfile;
  /** `--confirm` as given. */
  confirm: string | undefined;
  interactive: boolean;
  dryRun: boolean;
  note: (...lines: Line[]) => void;
  prompts: () => PromptContext;
}

/** Before anything is sent: the app must be the one that is meant, and somebody or something must say so. */
export function checkConfirmation(guard: LiveGuard, again: string): void {
  const { profile, confirm } = guard;
  guard.note(...liveBanner(profile));
  if (confirm !== undefined && confirm !== profile.appId) {
    throw new GuardError(
      `--confirm is ${confirm}, but the profile uses app ${profile.appId}. Nothing was sent.`,
      { code: 'confirmation-wrong', next: ['paydesk whoami'] },
    );
  }
  if (profile.kind !== 'live' || confirm !== undefined || guard.dryRun || guard.interactive) return;
  throw new GuardError(
    `This is a live app. Without a terminal, confirm it with --confirm. Nothing was sent.`,
    {
      code: 'confirmation-missing',
      next: [`${again} --confirm ${profile.appId}`],
    },
  );
}

export interface Question {
  /** What is about to be done. */
  lines: Line[];
  /** Where the amount is to be typed instead of the App ID. */
  amount?: string | undefined;
}

/** Asks on a terminal when the app is live and was not confirmed by a flag. */
export async function askToConfirm(guard: LiveGuard, question: Question): Promise<void> {
  const { profile, confirm, dryRun, note } = guard;
  if (profile.kind !== 'live' || confirm !== undefined || dryRun) return;
  note(...question.lines);
  const { input } = await import('@inquirer/prompts');
  const { amount } = question;
  const wanted = amount === undefined ? `the App ID, ${profile.appId},` : `the amount, ${amount},`;
  const isRight = (text: string) =>
    amount === undefined
      ? text === profile.appId
      : /^\d+(\.\d{1,2})?$/.test(text) && sameAmount(text, amount);
  const typed = await input(
    {
      message: `Type ${amount === undefined ? 'the App ID' : 'the amount'} to confirm:`,
      validate: (text) =>
        text.trim() === '' || isRight(text.trim()) || `Type ${wanted} or press Enter to cancel.`,
    },
    guard.prompts(),
  );
  if (typed.trim() === '') throw declined();
}

/** A yes or no before something that was put together on the spot. */
export async function askToGoOn(guard: LiveGuard, question: Question): Promise<void> {
  const { confirm } = await import('@inquirer/prompts');
  guard.note(...question.lines);
  if (!(await confirm({ message: 'Continue?', default: true }, guard.prompts()))) throw declined();
}

const declined = () => new InterruptedError('Nothing was sent.', { code: 'declined' });
