import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { contentSecurityPolicy } from './page-security.js';
import { baseStyle } from './style.js';
import { plain } from './text.js';

export interface PageOptions {
  /** In the window's title; the heading is the page's own. */
  title: string;
  status?: ContentfulStatusCode;
  /** How much room it takes: a form, two columns, or tables. */
  width?: 'narrow' | 'wide' | 'full';
  /** What stands at the top: whose page it is, and where else one may go. */
  top?: Child;
  /** At the bottom, below what the page is about. */
  foot?: Child;
  /** Rules that no other page could use. */
  style?: string;
  /** Runs once the page is there. Inline, and allowed by its hash alone. */
  script?: string;
  /** The script may ask this server for news. */
  live?: boolean;
  /** Where the page continues without JavaScript; without `to` it loads itself again. */
  onward?: { seconds: number; to?: string };
}

/** Answers with a page: complete in one request, with a policy that allows exactly what is in it. */
export function showPage(c: Context, options: PageOptions, content: Child): Response | Promise<Response> {
  const style = baseStyle + (options.style ?? '');
  c.header(
    'content-security-policy',
    contentSecurityPolicy({ style, script: options.script, live: options.live ?? false }),
  );
  const page = (
    <Page options={options} style={style}>
      {content}
    </Page>
  );
  return c.html(html`<!doctype html>${page}`, options.status ?? 200);
}

interface LayoutProps {
  options: PageOptions;
  style: string;
  children?: Child;
}

function Page({
  options: { title, width = 'narrow', top, foot, script, onward },
  style,
  children,
}: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{plain(title)}</title>
        <link rel="icon" href="data:," />
        <style>{raw(style)}</style>
        {onward && (
          <noscript>
            <meta
              http-equiv="refresh"
              content={`${onward.seconds}${onward.to === undefined ? '' : `;url=${onward.to}`}`}
            />
          </noscript>
        )}
      </head>
      <body class={width}>
        <a class="skip-link" href="#content">
          Skip to the content
        </a>
        <header>
          <p class="sandbox-note">This is a sandbox. No money moves.</p>
          {top !== undefined && (
            <div class="site">
              <div>{top}</div>
            </div>
          )}
        </header>
        <main id="content" tabindex={-1}>
          {children}
        </main>
        {foot !== undefined && (
          <footer class="foot">
            <div>{foot}</div>
          </footer>
        )}
        {script !== undefined && <script>{raw(script)}</script>}
      </body>
    </html>
  );
}

/** One answer for every link that opens nothing, so that it tells nothing about anyone. */
export function showGone(c: Context): Response | Promise<Response> {
  return showPage(
    c,
    { title: 'This link does not work', status: 404 },
    <div class="card stack">
      <h1>This link does not work</h1>
      <p>It is incomplete or has expired. Ask the shop for a new one.</p>
    </div>,
  );
}

/** A form that another site sent, or that does not belong to the page that it was sent to. */
export function showRefused(c: Context, why: string): Response | Promise<Response> {
  return showPage(
    c,
    { title: 'Nothing was changed', status: 403 },
    <div class="card stack">
      <h1>Nothing was changed</h1>
      <p>{why}</p>
      <p>Open the page again and use the form there.</p>
    </div>,
  );
}

export function showBroken(c: Context, status: 500 | 503): Response | Promise<Response> {
  return showPage(
    c,
    { title: 'Something went wrong', status },
    <div class="card stack">
      <h1>Something went wrong</h1>
      <p>The sandbox could not answer. Something may have changed: open the page again to see.</p>
    </div>,
  );
}
