/** What only the pages of a payment need. */
export const payingStyle = `
.columns { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@media (min-width: 52rem) { .columns { grid-template-columns: minmax(0, 5fr) minmax(0, 6fr); gap: 2rem; } }
h1 > .small { display: block; font-weight: 500; letter-spacing: 0; }
.price { display: block; font-size: 2rem; font-weight: 650; letter-spacing: -.02em; line-height: 1.2; }
.items > li { display: flex; justify-content: space-between; gap: 1rem; padding: .5rem 0; border-top: 1px solid var(--line); }
.items .note { display: block; }
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
.tests { border-top: 1px dashed var(--field-line); padding-top: .875rem; }
.tests ul { display: grid; gap: .5rem; margin-top: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(12rem, 100%), 1fr)); }
.tests button { width: 100%; height: 100%; flex-direction: column; align-items: flex-start; justify-content: flex-start; gap: 0; text-align: left; padding: .5rem .75rem; font-weight: 400; line-height: 1.4; }
.seal { display: flex; align-items: center; justify-content: center; width: 3rem; height: 3rem; border-radius: 50%; font-size: 1.5rem; font-weight: 700; }
@media (max-width: 30rem) { .method > summary, .method > form { padding-left: 1rem; padding-right: 1rem; } }
`;

/** Another site's look: its own bar, its own colour, its own shape. */
export const providerStyle = `
:root { --accent: #0d5c55; --accent-hover: #0a4741; --link: #0d5c55; }
.site { background: #0d3b37; color: #f2fbf9; border: 0; }
.card, button, .button, input:not([type=checkbox], [type=radio]) { border-radius: 3px; }
@media (prefers-color-scheme: dark) { :root { --accent: #7fd6c9; --accent-hover: #a2e4da; --on-accent: #062420; --link: #8fdccf; } }
`;
