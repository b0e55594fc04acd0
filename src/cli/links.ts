// Opens a customer's link in a browser, or shows it as a QR code.

import { boolean } from '@oclif/core/flags';
import { withoutOurSettings } from '../child-environment.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { idOf } from '../payments/named-payments.js';
import { commandPiece, joinPieces, type Line } from '../output/lines.js';
import { isCi } from '../ci.js';
import { paydesk } from '../next-command.js';
import type { CommandContext } from './runtime/context.js';

export const linkFlags = {
  open: boolean({ summary: 'Open the link in a browser.' }),
  qr: boolean({ summary: 'Show the link as a QR code, on stderr.' }),
};

/** Opens or shows a link of the service, as the flags say. */
export async function useLink(
  url: string | undefined,
  flags: { open: boolean; qr: boolean },
  note: (...lines: Line[]) => void,
): Promise<void> {
  if (!flags.open && !flags.qr) return;
  if (url === undefined || !isWebLink(url)) {
    return note('The service returned no link to open or show as a QR code.');
  }
  if (flags.qr) {
    const { renderUnicodeCompact } = await import('uqr');
    note(...renderUnicodeCompact(url).split('\n'));
  }
  if (flags.open) {
    const { default: found } = await import('open');
    // The bundle requires it, and gets the module itself here.
    const open = 'default' in found ? (found.default as typeof found) : found;
    // The link is printed as well, so a machine without a browser is not an error.
    await withoutOurSettings(process.env, () => open(url)).catch(() => note('No browser could be opened.'));
  }
}

/**
 * What a command says that waits until a new payment is paid. Logs keep what is written to stderr, and anyone with the
 * link can use it: only a terminal gets it.
 */
export function checkoutLines(
  read: PaymentRead,
  { json, streams }: Pick<CommandContext, 'json' | 'streams'>,
): Line[] {
  const { redirectUrl } = read.fields;
  if (redirectUrl === undefined) return [];
  const isCreated = `Payment ${idOf(read)} is created.`;
  if (!json && streams.stderr.terminal && !isCi(streams.env)) return [`${isCreated} Pay it at:`, redirectUrl];
  const get = paydesk('payments', 'get', `id:${idOf(read)}`, '--jq', '.redirectUrl');
  return [joinPieces(`${isCreated} Get its link with: `, commandPiece(get))];
}

/** Only web addresses are handed to other programs. */
function isWebLink(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
