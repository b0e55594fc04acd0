import { createHash } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { SandboxEngine } from '../../engine.js';
import { equal } from '../addresses.js';

const hashes = new Map<string, string>();

function hashSource(text: string): string {
  let source = hashes.get(text);
  if (source === undefined) {
    source = `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    hashes.set(text, source);
  }
  return source;
}

/**
 * What a page may do: exactly its own style and script, and forms that come back here. No answer to a form leads to
 * another site, since browsers hold redirects after a form to this too: the page that follows goes there itself.
 */
export function contentSecurityPolicy(page: {
  style: string;
  script: string | undefined;
  live: boolean;
}): string {
  return [
    "default-src 'none'",
    `style-src ${hashSource(page.style)}`,
    ...(page.script === undefined ? [] : [`script-src ${hashSource(page.script)}`]),
    ...(page.live ? ["connect-src 'self'"] : []),
    'img-src data:',
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

const HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
  // Not no-referrer: a browser then sends "Origin: null" with the page's own forms.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** For every page. */
export const protectPages: MiddlewareHandler = (c, next) => {
  for (const [name, value] of Object.entries(HEADERS)) c.header(name, value);
  return next();
};

/** A form that must not be acted on. */
export class FormRefused extends Error {
  override name = 'FormRefused';
}

const MAX_FORM_BYTES = 16_384;

/** Larger forms than any page has. */
export const limitForms = bodyLimit({
  maxSize: MAX_FORM_BYTES,
  onError: () => {
    throw new FormRefused('The form is larger than any on these pages.');
  },
});

/** The name of the hidden field that every form carries. */
export const FORM_TOKEN = 'formToken';

export interface FormGuard {
  /** For the hidden field of a form on a page; `version` is that of what the page shows, where it can change. */
  token(page: string, version?: number): string;
  /** What a form of that page says; throws FormRefused when another site sent it or it belongs to another page. */
  read(c: Context, page: string): Promise<URLSearchParams>;
}

/** The version of what the page showed when it was made. Under the same seal as the page: it cannot be made up. */
export function formVersion(form: URLSearchParams): number {
  return Number.parseInt(form.get(FORM_TOKEN)?.slice(SEAL_LENGTH) ?? '', 16);
}

const SEAL_LENGTH = 64;

/** Two locks: what the browser says of where the form comes from, and a token that only the page itself shows. */
export function createFormGuard(engine: Pick<SandboxEngine, 'derive'>): FormGuard {
  const token = (page: string, version = 0) =>
    `${engine.derive('form', `${page}#${version}`)}${version.toString(16)}`;
  return {
    token,
    async read(c, page) {
      const origin = c.req.header('origin');
      const site = c.req.header('sec-fetch-site');
      if (
        (origin !== undefined && origin !== `http://${c.req.header('host')}`) ||
        (site !== undefined && site !== 'same-origin' && site !== 'none')
      )
        throw new FormRefused('The form was sent by another site.');
      if (!/^application\/x-www-form-urlencoded\b/i.test(c.req.header('content-type') ?? ''))
        throw new FormRefused('This is not a form of these pages.');
      const form = new URLSearchParams(await c.req.text());
      const version = formVersion(form);
      if (!Number.isSafeInteger(version) || !equal(form.get(FORM_TOKEN) ?? '', token(page, version)))
        throw new FormRefused('The form does not belong to this page, or the sandbox was reset since.');
      return form;
    },
  };
}
