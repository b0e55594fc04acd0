// Pages without scripts or links to other files, escaped piece by piece.

import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Escapes what is put in. Nothing here is a promise, so it is whole at once. */
export const markup = (strings: TemplateStringsArray, ...values: unknown[]): HtmlEscapedString =>
  html(strings, ...values) as HtmlEscapedString;

/** Hono's escaped text is an object; streams want a plain one. */
export const plainMarkup = (strings: TemplateStringsArray, ...values: unknown[]): string =>
  markup(strings, ...values).toString();

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c1c1c}
h1{font-size:1.4rem}table{border-collapse:collapse}th,td{text-align:left;padding:.25rem .9rem .25rem 0;
border-bottom:1px solid #ddd;vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}
.done{color:#176b2c}.refused,.failed,.unknown{color:#a11212}.accepted,.pending,.throttled{color:#7a5200}.skipped{color:#595959}
`;

const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Up to the first thing below the title. */
export function* pageStart(title: string): Generator<string> {
  yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n';
  yield plainMarkup`<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n<title>${title}</title>\n`;
  yield `<meta name="viewport" content="width=device-width">\n<style>\n${style}</style>\n</head>\n`;
  yield plainMarkup`<body>\n<h1>${title}</h1>\n`;
}

export const PAGE_END = '</body>\n</html>\n';
