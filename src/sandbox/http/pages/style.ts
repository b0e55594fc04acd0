// The one style sheet of all pages, sent inline: a page is complete in one request. Pages add nothing of their own
// unless no other page could use it.

const colours = `
:root {
  color-scheme: light dark;
  --ground: #f5f6f8; --surface: #ffffff; --sunken: #eef0f4;
  --text: #1b2130; --muted: #566074; --line: #d5dae3; --field-line: #7d8798;
  --accent: #3446b8; --accent-hover: #28379a; --on-accent: #ffffff; --link: #3041ad;
  --good: #0a6336; --good-ground: #e4f3ea;
  --waiting: #724500; --waiting-ground: #fcf1d9;
  --bad: #9c1620; --bad-ground: #fce8e8;
  --neutral: #4a5468; --neutral-ground: #e8ebf0;
  --progress: #17427c; --progress-ground: #e3eefb;
  --shadow: 0 1px 2px rgb(20 28 48 / .06), 0 4px 16px rgb(20 28 48 / .06);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10131a; --surface: #191e28; --sunken: #222835;
    --text: #e9ecf3; --muted: #b0b9ca; --line: #333b4b; --field-line: #79849a;
    --accent: #a3b1ff; --accent-hover: #bcc7ff; --on-accent: #10152c; --link: #afbbff;
    --good: #7fdca6; --good-ground: #14301f;
    --waiting: #f2c66d; --waiting-ground: #33270d;
    --bad: #ffa3a6; --bad-ground: #3a1719;
    --neutral: #bcc5d6; --neutral-ground: #2a3140;
    --progress: #a9cdff; --progress-ground: #12283f;
    --shadow: none;
  }
}`;

const ground = `
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--ground); color: var(--text);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, p, ul, ol, dl, table, figure { margin: 0; }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; }
h2 { font-size: 1.0625rem; line-height: 1.35; font-weight: 650; }
h3 { font-size: .9375rem; line-height: 1.4; font-weight: 650; }
a { color: var(--link); text-underline-offset: .15em; }
a:hover { text-decoration-thickness: 2px; }
code, .mono { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
code > span { display: inline-block; max-width: 100%; }
.num { font-variant-numeric: tabular-nums; white-space: nowrap; }
[hidden] { display: none !important; }
.muted { color: var(--muted); }
.small { font-size: .875rem; }
.quiet-list { list-style: none; padding: 0; }
.stack > * + * { margin-top: 1rem; }
.stack > [type=hidden] + * { margin-top: 0; }
.stack-tight > * + * { margin-top: .375rem; }
.stack-wide > * + * { margin-top: 1.5rem; }
.row { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; }
.row.apart { justify-content: space-between; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 4px; }
.visually-hidden {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip-link { position: absolute; left: .5rem; top: -4rem; z-index: 2; padding: .5rem .75rem; background: var(--surface); }
.skip-link:focus { top: .5rem; }`;

const frame = `
.sandbox-note { background: var(--neutral-ground); color: var(--neutral); text-align: center; font-size: .875rem; padding: .375rem 1rem; }
.site { background: var(--surface); border-bottom: 1px solid var(--line); }
.site > div, main, .foot > div { width: 100%; max-width: 30rem; margin: 0 auto; padding-left: 1rem; padding-right: 1rem; }
.wide .site > div, .wide main, .wide .foot > div { max-width: 60rem; }
.full .site > div, .full main, .full .foot > div { max-width: 84rem; }
.site > div { min-height: 3.25rem; padding-top: .5rem; padding-bottom: .5rem; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: center; }
.site .brand { font-weight: 650; }
.site nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
.site nav a { padding: .25rem 0; text-decoration: none; }
.site nav a[aria-current] { color: var(--text); font-weight: 600; box-shadow: 0 2px 0 var(--accent); }
main { flex: 1; padding-top: 1.5rem; padding-bottom: 2.5rem; }
.foot { color: var(--muted); font-size: .875rem; }
.foot code { display: inline-block; }
.foot > div { padding-top: .75rem; padding-bottom: 1.5rem; }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; padding: 1.25rem; box-shadow: var(--shadow); }
@media (max-width: 30rem) { .card { padding: 1rem; } }`;

const controls = `
button, .button, input, select, textarea { font: inherit; color: inherit; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: .3em; min-height: 2.75rem; padding: .5rem 1rem;
  border: 1px solid var(--field-line); border-radius: 8px; background: var(--surface); color: var(--text);
  font-weight: 550; text-decoration: none; text-align: center; cursor: pointer;
}
button:hover, .button:hover { background: var(--sunken); }
button.primary, .button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button.primary:hover, .button.primary:hover { background: var(--accent-hover); border-color: var(--accent-hover); }
button.danger, .button.danger { color: var(--bad); border-color: var(--bad); }
button.small, .button.small { min-height: 2.25rem; padding: .25rem .75rem; font-size: .875rem; }
button.block, .button.block { width: 100%; min-height: 3rem; }
button.busy { opacity: .7; cursor: progress; }
.field { display: block; }
.field > label, .field > .label { display: block; font-size: .875rem; font-weight: 550; margin-bottom: .25rem; }
input:not([type=checkbox], [type=radio]), select, textarea {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem .75rem; background: var(--surface);
  border: 1px solid var(--field-line); border-radius: 8px;
}
::placeholder { color: var(--muted); opacity: 1; }
input[aria-invalid=true], select[aria-invalid=true] { border-color: var(--bad); box-shadow: 0 0 0 1px var(--bad); }
input[type=checkbox], input[type=radio] { width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--accent); flex: none; }
.hint { color: var(--muted); font-size: .875rem; margin-top: .25rem; }
.error { color: var(--bad); font-size: .875rem; margin-top: .25rem; font-weight: 550; }
.choice { display: flex; gap: .625rem; align-items: flex-start; }
.fields { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); }`;

const pieces = `
.badge { display: inline-block; padding: .0625rem .5rem; border-radius: 999px; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.notice { padding: .75rem 1rem; border-radius: 8px; border-left: 4px solid currentColor; }
.notice > * + * { margin-top: .25rem; }
.tone-good { color: var(--good); background: var(--good-ground); }
.tone-waiting { color: var(--waiting); background: var(--waiting-ground); }
.tone-bad { color: var(--bad); background: var(--bad-ground); }
.tone-progress { color: var(--progress); background: var(--progress-ground); }
.tone-neutral { color: var(--neutral); background: var(--neutral-ground); }
.notice a { color: inherit; }
.facts { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .375rem 1.25rem; }
.facts dt { color: var(--muted); }
.facts dd { margin: 0; }
.sums { display: grid; grid-template-columns: 1fr auto; gap: .375rem 0; }
.sums dd { margin: 0; padding-left: 1rem; text-align: right; white-space: nowrap; }
.sums .total { font-weight: 650; padding-top: .625rem; border-top: 1px solid var(--line); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); }
th { font-size: .8125rem; font-weight: 600; color: var(--muted); white-space: nowrap; }
th:first-child, td:first-child { padding-left: 0; }
th:last-child, td:last-child { padding-right: 0; }
td.num, th.num { text-align: right; }
details > summary { cursor: pointer; }
.timeline { list-style: none; padding: 0; }
.timeline > li { position: relative; padding: 0 0 1.125rem 1.5rem; }
.timeline > li::before { content: ""; position: absolute; left: .25rem; top: .5rem; width: .625rem; height: .625rem; border-radius: 50%; background: var(--field-line); }
.timeline > li::after { content: ""; position: absolute; left: .5rem; top: 1.25rem; bottom: -.375rem; width: 2px; background: var(--line); }
.timeline > li:last-child::after { display: none; }
@media (prefers-reduced-motion: no-preference) { .spin { animation: turn 1s linear infinite; } }
.spin { width: 2rem; height: 2rem; border-radius: 50%; border: 3px solid var(--line); border-top-color: var(--accent); }
@keyframes turn { to { transform: rotate(1turn); } }`;

/** A reader's own colours take away grounds and shadows: what they say is said by lines. */
const forced = `
@media (forced-colors: active) {
  .badge, .notice { border: 1px solid; }
  .notice { border-left-width: 4px; }
  .timeline > li::before, .timeline > li::after { forced-color-adjust: none; background: CanvasText; }
  .site nav a[aria-current] { border-bottom: 3px solid Highlight; }
  nav .button[aria-current], button.primary { forced-color-adjust: none; background: Highlight; border-color: Highlight; color: HighlightText; }
  .method[open] > summary::before { border-color: Highlight; }
}`;

export const baseStyle = [colours, ground, frame, controls, pieces, forced]
  .join('')
  .replaceAll(/\s*\n\s*/g, '\n');
