// A link that was made for a customer: opened in a browser, or shown as a code for a phone.

import { boolean } from '@oclif/core/flags';
import { withoutOurSettings } from '../child-environment.js';
import type { Line } from '../output/lines.js';

export const linkFlags = {
  open: boolean({ summary: 'Open the link in a browser.' }),
  qr: boolean({ summary: 'Show the link as a QR code, on stderr.' }),
};

/** Does what the flags ask for with a link of the service. */
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
    // The link is printed as well, so that a machine without a browser is no failure.
    await withoutOurSettings(process.env, () => open(url)).catch(() => note('No browser could be opened.'));
  }
}

/** What the service sends is handed to other programs only when it can be nothing but a web address. */
function isWebLink(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol);
}
