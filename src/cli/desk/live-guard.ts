// Protects live apps: the banner, and a confirmation that names the app or the amount.

import { addWords, type Command, paydesk } from '../../next-command.js';
import { sameAmount } from '../../contract/exact.js';
import { isAmount } from '../../contract/money.js';
import { GuardError, InterruptedError } from '../../errors.js';
import { formatAmount } from '../../contract/amount-format.js';
import type { Line } from '../../output/lines.js';
import type { AmountToType } from '../../output/views/moves.js';
import { liveBanner } from '../../output/views/live.js';
import type { KnownProfile } from '../../profiles/resolve.js';
import type { PromptContext } from '../../prompts.js';
import type { CommandContext } from '../runtime/context.js';

export interface LiveGuard {
  profile: KnownProfile;
  /** `--confirm` as given. */
  confirm: string | undefined;
  interactive: boolean;
  dryRun: boolean;
  note: (...lines: Line[]) => void;
  prompts: () => PromptContext;
}

/** Shows the banner, and refuses before anything is read or sent if nobody can confirm the app. */
export function createGuard(
  context: CommandContext,
  profile: KnownProfile,
  flags: { confirm?: string | undefined; 'dry-run'?: boolean },
): LiveGuard {
  const guard: LiveGuard = {
    profile,
    confirm: flags.confirm,
    interactive: context.interactive,
    dryRun: flags['dry-run'] === true,
    note: context.note,
    prompts: () => context.prompts(),
  };
  checkConfirmation(guard, context.typed);
  return guard;
}

function checkConfirmation(guard: LiveGuard, typed: Command): void {
  const { profile, confirm } = guard;
  guard.note(...liveBanner(profile));
  if (confirm !== undefined && confirm !== profile.appId) {
    throw new GuardError(
      `--confirm is ${confirm}, but the profile uses app ${profile.appId}. Nothing was sent.`,
      { code: 'confirmation-wrong', next: [paydesk('whoami')] },
    );
  }
  if (profile.kind !== 'live' || confirm !== undefined || guard.dryRun || guard.interactive) return;
  throw new GuardError('This is a live app, which must be confirmed with --confirm. Nothing was sent.', {
    code: 'confirmation-missing',
    next: [addWords(typed, '--confirm', profile.appId)],
  });
}

/** What a command that sends must be given on a live app where nobody can be asked. */
export function sendingFlags(
  { interactive }: CommandContext,
  { kind, appId }: Pick<KnownProfile, 'kind' | 'appId'>,
  { localLedger }: { localLedger: boolean },
): string[] {
  if (kind !== 'live' || interactive) return [];
  return ['--confirm', appId, ...(localLedger ? ['--local-ledger'] : [])];
}

interface Question {
  /** What is about to be done. */
  lines: Line[];
  /** The amount to type instead of the App ID. */
  amount?: AmountToType | undefined;
}

/** Asks on a terminal when the app is live and was not confirmed by a flag. */
export async function askToConfirm(guard: LiveGuard, question: Question): Promise<void> {
  const { profile, confirm, dryRun, note } = guard;
  if (profile.kind !== 'live' || confirm !== undefined || dryRun) return;
  note(...question.lines);
  const { input } = await import('../../prompts.js');
  const { amount } = question;
  const wanted =
    amount === undefined
      ? `the App ID, ${profile.appId},`
      : `the amount, ${formatAmount(amount.digits, amount.currency)},`;
  const isRight = (text: string) =>
    amount === undefined ? text === profile.appId : isTypedAmount(text, amount);
  const typed = await input(
    {
      message: `Type ${amount === undefined ? 'the App ID' : 'the amount'} to confirm:`,
      validate: (text) =>
        text.trim() === '' || isRight(text.trim()) || `Type ${wanted} or press Enter to cancel.`,
      // Otherwise Enter would send the wrong text again.
      theme: { validationFailureMode: 'clear' },
    },
    guard.prompts(),
  );
  if (typed.trim() === '') throw declined();
}

/** `20`, `20.00`, `20,00`, `EUR 20` and `1,234.50` are all understood; another currency is not. */
export function isTypedAmount(typed: string, { digits, currency }: AmountToType): boolean {
  const [, before = '', number = '', after = ''] = /^([a-z]*)\s*([\d.,]+)\s*([a-z]*)$/i.exec(typed) ?? [];
  const named = [before, after].filter((name) => name !== '').map((name) => name.toUpperCase());
  if (named.some((name) => name !== currency)) return false;
  const [, sign] = /([.,])\d{1,2}$/.exec(number) ?? [];
  const group = sign === ',' ? '.' : ',';
  const isGrouped = sign === undefined ? /^\d{1,3}([.,]\d{3})+$/ : /^\d{1,3}([.,]\d{3})+[.,]\d{1,2}$/;
  const whole = isGrouped.test(number) ? number.replaceAll(sign === undefined ? /[.,]/g : group, '') : number;
  const decimal = whole.replace(',', '.');
  return isAmount(decimal) && sameAmount(decimal, digits);
}

/** Before something that cannot be undone: a live app wants its App ID, a sandbox a yes if somebody can be asked. */
export async function askBeforeRemoving(guard: LiveGuard, question: Line): Promise<void> {
  if (guard.profile.kind === 'live') return askToConfirm(guard, { lines: [question] });
  if (!guard.interactive || guard.confirm !== undefined) return;
  guard.note(question);
  const { confirm } = await import('../../prompts.js');
  if (await confirm({ message: 'Continue?', default: false }, guard.prompts())) return;
  throw new InterruptedError('Nothing was changed.', { code: 'declined' });
}

/** A yes or no before sending what was asked for value by value. */
export async function askToContinue(guard: LiveGuard, question: Question): Promise<void> {
  const { confirm } = await import('../../prompts.js');
  guard.note(...question.lines);
  if (!(await confirm({ message: 'Continue?', default: true }, guard.prompts()))) throw declined();
}

const declined = () => new InterruptedError('Nothing was sent.', { code: 'declined' });
