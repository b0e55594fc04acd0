import { paydesk } from '../../next-command.js';
import { UsageError } from '../../errors.js';

/** A public address as it is typed: the origin alone, since the path of the webhooks is the listener's own. */
export function parseOrigin(text: string): URL {
  const refuse = (problem: string): never => {
    throw new UsageError(`Invalid value of --tunnel: ${problem}`, {
      code: 'usage',
      next: [paydesk('webhook', 'listen', '--tunnel', 'https://hooks.example.org')],
    });
  };
  if (!URL.canParse(text)) return refuse(`${text} is not an address.`);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') refuse(`${text} is neither http nor https.`);
  if (url.username !== '' || url.password !== '') refuse('remove the password from the address.');
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    refuse(`use the address without a path, ${url.origin}; the listener adds its own.`);
  }
  return url;
}
