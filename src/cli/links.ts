// Opens a customer's link in a browser, or shows it as a QR code.

import { boolean } from '@oclif/core/flags';
import { withoutOurSettings } from '../child-environment.js';
import type { PaymentRead } from '../client/payment-calls.js';
import { idOf } from '../payments/named-payments.js';
import type { Line } from '../output/lines.js';

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
    const { default: open } = await import('open');
    // The link is printed as well, so a machine without a browser is not an error.
    await withoutOurSettings(process.env, () => open(url)).catch(() => note('No browser could be opened.'));
  }
}

/** The checkout link of a new payment, for commands that wait until it is paid. */
export const checkoutLines = (read: PaymentRead): Line[] => {
  const { redirectUrl } = read.fields;
  return redirectUrl === undefined ? [] : [`Payment ${idOf(read)} is created. Pay it at:`, redirectUrl];
};

/** Only web addresses are handed to other programs. */
function isWebLink(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
