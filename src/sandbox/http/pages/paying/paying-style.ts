/** What only the pages of a payment need. */
export const payingStyle = `
.columns { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 52rem) {
  .columns { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); grid-template-rows: auto 1fr; gap: 1rem 2rem; }
  .columns > .methods { grid-column: 2; grid-row: 1 / span 2; }
}
h1 > .small { display: block; font-weight: 500; letter-spacing: 0; }
.price { display: block; font-size: clamp(1.5rem, 7.5vw, 2rem); font-weight: 650; letter-spacing: -.02em; line-height: 1.2; }
.complaint { margin-bottom: 1.25rem; }
.order > summary { display: flex; gap: .375rem; align-items: baseline; list-style: none; margin: -.25rem; padding: .25rem; border-radius: 6px; }
.order > summary::-webkit-details-marker { display: none; }
.order > summary::after { content: ""; align-self: center; margin-left: auto; width: .5rem; height: .5rem; border: solid var(--muted); border-width: 0 2px 2px 0; transform: translateY(-.125rem) rotate(45deg); }
.order[open] > summary::after { transform: translateY(.125rem) rotate(225deg); }
.order[open] > summary { margin-bottom: .75rem; }
.order[open] .folded { display: none; }
@media (min-width: 52rem) and (scripting: none) {
  .order::details-content { content-visibility: visible; block-size: auto; }
  .order > summary { pointer-events: none; margin-bottom: .75rem; }
  .order .folded, .order > summary::after { display: none; }
}
.items > li { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
.items > li > :first-child { min-width: 0; }
.items .note { display: block; }
.line-price { flex: none; text-align: right; }
.sole-total { font-weight: 650; }
.method { border: 1px solid var(--line); border-radius: 10px; background: var(--surface); box-shadow: var(--shadow); }
.method + .method { margin-top: .75rem; }
.method > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; padding: .875rem 1.25rem; list-style: none; border-radius: 10px; }
.method > summary::-webkit-details-marker { display: none; }
.method > summary::before { content: ""; align-self: center; width: .75rem; height: .75rem; flex: none; border: 2px solid var(--field-line); border-radius: 50%; }
.method[open] > summary::before { border: 4px solid var(--accent); }
.method > summary:hover { background: var(--sunken); }
.method > form { padding: .25rem 1.25rem 1.25rem; }
fieldset.plain { border: 0; margin: 0; padding: 0; }
fieldset.plain legend { padding: 0; font-weight: 550; margin-bottom: .25rem; }
.tests { border: 1px dashed var(--field-line); border-radius: 10px; }
.card + .tests { margin-top: 1.25rem; }
.tests > summary { padding: .875rem 1.25rem; border-radius: 10px; }
.tests > summary > * { display: inline; margin-right: .5rem; }
.tests h2 { font-size: .9375rem; }
.tests > summary:hover { background: var(--sunken); }
.tests > div { padding: .25rem 1.25rem 1.25rem; }
.outcomes > li + li { border-top: 1px solid var(--line); }
.outcomes button { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; width: 100%; padding: .5rem; border: 0; border-radius: 6px; background: none; text-align: left; justify-items: start; font-weight: 400; line-height: 1.4; }
.outcomes button:hover { background: var(--sunken); }
.outcomes .small { grid-column: 1 / -1; }
.seal { display: flex; align-items: center; justify-content: center; width: 3rem; height: 3rem; border-radius: 50%; font-size: 1.5rem; font-weight: 700; }
@media (max-width: 30rem) { .method > summary, .method > form, .tests > summary, .tests > div { padding-left: 1rem; padding-right: 1rem; } }
`;

/** Another site's look: its own bar, its own colour, its own shape. */
export const providerStyle = `
:root { --accent: #0d5c55; --accent-hover: #0a4741; --link: #0d5c55; }
.site { background: #0d3b37; color: #f2fbf9; border: 0; }
.card, button, .button, input:not([type=checkbox], [type=radio]) { border-radius: 3px; }
@media (prefers-color-scheme: dark) { :root { --accent: #7fd6c9; --accent-hover: #a2e4da; --on-accent: #062420; --link: #8fdccf; } }
`;
