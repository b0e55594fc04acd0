// A path as a log may show it. The links to a checkout and to a panel are as good as a key, and so is the console's token.

import { APPS_PATH } from '../../contract/endpoints.js';

/** Leaves the secrets out, however the path spells them: encoded, doubled, in capitals, or behind other segments. */
export function loggedPath(path: string): string {
  const read = decoded(path);
  const masked = read
    .replaceAll(/(checkout|provider)[/\\]+(\d*)[^?#]*/gi, '$1/$2-…')
    .replaceAll(/panel[/\\]+[^?#]*/gi, 'panel/…')
    .replaceAll(/(\d)-[0-9a-f]{32,}/gi, '$1-…')
    // A reference of a shop may look like a proof; elsewhere nothing does.
    .replaceAll(path.startsWith(APPS_PATH) ? /$^/g : /[0-9a-f]{16,}/gi, '…')
    .replaceAll(/([?&]token=)[^&#]*/gi, '$1…');
  return masked === read ? path : masked;
}

/** Until nothing is left to decode, since a secret may be encoded more than once; what is malformed stays. */
function decoded(text: string): string {
  let [before, after] = ['', text];
  while (after !== before) {
    before = after;
    after = before.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  return after;
}
