// The screen of `payments resolve`: what is shown of each payment, and what is asked.

import { InterruptedError, type PaydeskError } from '../../errors.js';
import { choiceHint } from '../../output/choices.js';
import { errorLines } from '../../output/report.js';
import { checkLines } from '../../output/views/check.js';
import { standingView } from '../../output/views/explanation.js';
import { moveQuestion, reasonLines } from '../../output/views/moves.js';
import { operationLine } from '../../output/views/operation.js';
import { recheckLine } from '../../output/views/recheck.js';
import { watchLine } from '../../output/views/watch.js';
import { isPending } from '../../support/act.js';
import type { Choice, SessionScreen } from '../../support/guided-session.js';
import type { CommandContext } from '../runtime/context.js';
import { askToConfirm, type LiveGuard } from '../desk/live-guard.js';
import { askMenu } from './menu.js';

const CTRL_C = 3;

export function createGuidedScreen(context: CommandContext, guard: LiveGuard): SessionScreen {
  const { print, profileName: profile } = context;
  const showError = (error: PaydeskError, { nothingSent }: { nothingSent: boolean }) =>
    print(...errorLines(error, { width: context.streams.stdout.width, debug: false, profile, nothingSent }));

  return {
    showError,

    showPayment(entry, { index, count, typed }, why) {
      print('', `${index + 1} of ${count}   ${typed}`, ...reasonLines(why), '');
      if ('explanation' in entry) context.show(entry.explanation, standingView);
      else showError(entry.error, { nothingSent: false });
      print('');
    },

    showEvent: (event) => void context.show(event, watchLine),

    showActed({ kind, result }) {
      print('');
      if (kind === 'moved') context.show(result, operationLine);
      if (kind === 'checked') context.show(result, checkLines);
      if (kind === 'rechecked') context.show(result, recheckLine);
      const nothingSent = kind === 'moved' && result.outcome === 'unsent';
      if (result.error !== undefined && !isPending(result.error)) showError(result.error, { nothingSent });
    },

    choose({ choices, start, escape }) {
      const { width } = context.streams.stderr;
      const hinted = choices.map((choice) => ({
        ...choice,
        description: choiceHint(choice.description, width),
      }));
      return askMenu<Choice>({ message: 'Choose:', choices: hinted, start, escape }, context.prompts());
    },

    async askWhy({ ticket, reason }) {
      const { input } = await import('../../prompts.js');
      const ask = async (message: string, current: string | undefined) => {
        const question = { message, ...(current === undefined ? {} : { default: current }) };
        const typed = (await input(question, context.prompts())).trim();
        return typed === '' ? undefined : typed;
      };
      return { ticket: await ask('Ticket:', ticket), reason: await ask('Reason:', reason) };
    },

    /** What the live guard asks for on a live app, and a yes elsewhere. */
    async confirm(action, plan, why) {
      guard.note(...reasonLines(why));
      if (guard.profile.kind === 'live') return askToConfirm(guard, moveQuestion(plan));
      const { confirm } = await import('../../prompts.js');
      if (!(await confirm({ message: `${action.title}?`, default: false }, context.prompts()))) {
        throw new InterruptedError('Nothing was sent.', { code: 'declined' });
      }
    },

    async untilCtrlC(work) {
      const stop = new AbortController();
      const input = context.prompts().input as NodeJS.ReadStream;
      const onKeys = (keys: Buffer) => {
        if (keys.includes(CTRL_C)) stop.abort(new InterruptedError('Stopped.', { code: 'stopped-waiting' }));
      };
      print('Press Ctrl-C to return to the menu.');
      // In raw mode the terminal passes Ctrl-C on as a key instead of interrupting the program.
      input.setRawMode(true);
      input.on('data', onKeys).resume();
      try {
        return await work(stop.signal);
      } finally {
        input.off('data', onKeys).pause();
        input.setRawMode(false);
      }
    },
  };
}
