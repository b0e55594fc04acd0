// Arguments and flags for customers.

import { custom as argument } from '@oclif/core/args';
import { custom } from '@oclif/core/flags';
import { emailFlag } from './flags.js';
import { BadValue, parseId } from '../../typed-values.js';
import type { PromptContext } from '../../prompts.js';

/** A name or another line of text for people; an empty one clears the field. */
function parseLine(text: string): string {
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u.test(text))
    throw new BadValue('use one line, without control characters');
  if (text.length > 1000) throw new BadValue('at most 1000 characters');
  return text;
}

const lineFlag = custom({ helpValue: 'TEXT', parse: async (text) => parseLine(text) });
/** The spec gives phone numbers no form: what the service takes is for the service to say. */
const phoneFlag = custom({ helpValue: 'NUMBER', parse: async (text) => parseLine(text) });

/** Contact details, on create and update. */
export const contactFlags = {
  'first-name': lineFlag({ summary: 'First name.' }),
  'last-name': lineFlag({ summary: 'Last name.' }),
  email: emailFlag({ summary: 'E-mail address, used for receipts and risk checks.' }),
  mobile: phoneFlag({ summary: 'Mobile number.' }),
};

/** CUSTOMER: the merchant's own identifier. */
export const customerArgument = argument({ parse: async (text) => parseId(text) })({
  required: true,
  ignoreStdin: true,
  description: 'Your customer ID.',
});

/** METHOD: kept as text, as it may have more digits than a number holds. */
export const methodArgument = argument({
  parse: async (text) => {
    if (!/^[1-9]\d*$/.test(text)) throw new BadValue('use the number shown by customers methods');
    return text;
  },
})({
  required: true,
  ignoreStdin: true,
  description: 'ID of the stored method.',
});

/** REGISTRATION: the service does not say what these look like. */
export const registrationArgument = argument({ parse: async (text) => parseId(text) })({
  required: true,
  ignoreStdin: true,
  description: 'Auto-payment registration, as shown by customers methods.',
});

const names = Object.keys(contactFlags) as (keyof typeof contactFlags)[];

/** The same flags, at least one of which is required. */
export function requireSome(flags: typeof contactFlags): typeof contactFlags {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [name, { ...flag, atLeastOne: names }]),
  ) as typeof contactFlags;
}

export async function askForCustomer(context: PromptContext): Promise<string> {
  const { input } = await import('../../prompts.js');
  const validate = (text: string) => {
    try {
      return parseId(text) === text;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return input({ message: 'Your customer ID:', validate }, context);
}
