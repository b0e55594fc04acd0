import { isLoopbackUrl } from '../loopback.js';
import { Secret } from './secret.js';

/** Either the value in its final form, or a few words on why it cannot be used and what would do. */
export type Checked<T> = { value: T } | { problem: string };

/** The value, or the problem as an error: the form that the parser of a flag has. */
export function accept<T>(checked: Checked<T>): T {
  if ('value' in checked) return checked.value;
  throw new Error(checked.problem);
}

const namePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;
// The App ID is a segment of every path: nothing that could end or change the segment.
const appIdPattern = /^[A-Za-z0-9_][A-Za-z0-9._~:@-]{0,127}$/;
// What an Authorization header can carry.
const keyPattern = /^[\x21-\x7e]{1,4096}$/;

export function checkName(text: string): Checked<string> {
  if (namePattern.test(text)) return { value: text };
  return { problem: 'use letters, digits, dots and dashes, at most 64, for example shop-eu' };
}

export function checkAppId(text: string): Checked<string> {
  const value = text.trim();
  if (appIdPattern.test(value)) return { value };
  return { problem: 'use the App ID as the management console shows it: letters, digits and dashes' };
}

/** The text of a key is never part of the problem. */
export function checkApiKey(text: string): Checked<Secret> {
  const value = text.trim();
  if (value === '') return { problem: 'the API key is empty' };
  if (!keyPattern.test(value)) {
    return {
      problem: 'an API key has only plain letters, digits and signs, without spaces or line breaks',
    };
  }
  return { value: new Secret(value) };
}

/** https, or http on loopback; no credentials, query or fragment. The text is not repeated: it may hold a password. */
export function checkBaseUrl(text: string): Checked<string> {
  const example = 'for example https://payments.example.com';
  const url = URL.parse(text.trim());
  if (url === null || url.host === '') return { problem: `not a URL; use the full address, ${example}` };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { problem: `starts with ${url.protocol}//; use https://, ${example}` };
  }
  if (url.username !== '' || url.password !== '') {
    return { problem: `has a user name or password; remove everything up to the @, ${example}` };
  }
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text)) {
    return { problem: `has a query or fragment; remove everything from the ? or # on, ${example}` };
  }
  if (url.protocol === 'http:' && !isLoopbackUrl(url.href)) {
    return {
      problem: `http is allowed only for this machine (localhost, 127.0.0.1); use https://${url.host}`,
    };
  }
  return { value: withoutTrailingSlash(url.href) };
}

export const withoutTrailingSlash = (url: string): string => url.replace(/\/+$/, '');
