// Asking before something is changed that cannot be changed back.

import { string } from '@oclif/core/flags';
import { InterruptedError } from './errors.js';
import { confirmLive, type GuardedProfile } from './operations/live-guard.js';
import type { Line } from './output/lines.js';
import { liveBanner } from './output/views/live.js';
import type { PromptContext } from './profiles/ask.js';

export const confirmFlag = string({
  helpValue: 'APP_ID',
  summary: 'Confirm a change on a live app without being asked: the App ID of the profile.',
});

export interface Confirmation {
  profile: GuardedProfile;
  /** `--confirm` as given. */
  confirm: string | undefined;
  /** What is about to happen, as a question. */
  question: Line;
  /** Undefined where nobody can be asked. */
  prompt: PromptContext | undefined;
  note: (...lines: Line[]) => void;
}

/** A live app wants its App ID; on a sandbox a yes will do, and without a terminal nothing is asked. */
export async function confirmChange(options: Confirmation): Promise<void> {
  const { profile, confirm, question, prompt, note } = options;
  note(...liveBanner(profile));
  const asks = prompt !== undefined && confirm === undefined;
  if (asks) note(question);
  await confirmLive({ profile, confirm, ask: prompt && ((message) => askText(message, prompt)) });
  if (!asks || profile.kind === 'live') return;
  const { confirm: ask } = await import('@inquirer/prompts');
  if (await ask({ message: 'Go on?', default: false }, prompt)) return;
  throw new InterruptedError('Nothing was changed.', { code: 'declined' });
}

async function askText(message: string, prompt: PromptContext): Promise<string> {
  const { input } = await import('@inquirer/prompts');
  return input({ message }, prompt);
}
