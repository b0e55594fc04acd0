/** A command to copy; the closed console shows some too. */
export const commandStyle = `
.command { display: flex; gap: .5rem; align-items: flex-start; margin-top: .5rem; padding: .375rem .5rem .375rem .75rem; background: var(--sunken); border-radius: 8px; }
.command code { flex: 1; align-self: center; user-select: all; }
.command button { flex: none; min-height: 2rem; padding: .125rem .625rem; font-size: .8125rem; }
`;

/** What only the console has: commands, the diagram, and tables that fit a phone. */
export const consoleStyle = `${commandStyle}
nav .button[aria-current] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
button { white-space: nowrap; }
td.num, .when { white-space: nowrap; font-variant-numeric: tabular-nums; }
html { overflow-y: scroll; }
.site > div, .wide .site > div, .wide main, .wide .foot > div { max-width: 84rem; }
.wide main > .stack-wide { max-width: 60rem; }
.site nav a[aria-current] { font-weight: inherit; }
.live { margin-left: auto; min-height: 1.5rem; }
.count { margin-bottom: -.5rem; }
.filter { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); align-items: end; }
.inline { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: flex-start; }
.inline .field { flex: 1 1 9rem; max-width: 30rem; }
.inline button { margin-top: 1.5625rem; }
.columns { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
.pairs { display: grid; gap: .375rem 2rem; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); }
.pairs > div { display: grid; grid-template-columns: 9.5rem minmax(0, 1fr); }
details[open] > summary { margin-bottom: .5rem; }
.pairs.one { grid-template-columns: minmax(0, 1fr); }
.pairs dt { color: var(--muted); }
.pairs dd { margin: 0; }
.actions > li + li { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.actions p { margin-top: .25rem; }
.actions form { margin-top: .5rem; }
.sub { display: block; color: var(--muted); font-size: .875rem; }
pre { unicode-bidi: plaintext; margin: .375rem 0 0; padding: .5rem .75rem; background: var(--sunken); border-radius: 8px; white-space: pre-wrap; font: .8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.timeline details { margin-top: .25rem; }
.timeline > li.change::before { background: var(--accent); }
.diagram svg { display: block; width: 100%; max-width: 24rem; height: auto; margin: 0 auto .75rem; }
.diagram text { font-size: 12px; text-anchor: middle; fill: var(--muted); }
.diagram rect { fill: var(--surface); stroke: var(--line); }
.diagram path { fill: none; stroke: var(--line); }
.diagram marker path { fill: var(--accent); stroke: none; }
.diagram .went { stroke: var(--accent); stroke-width: 2; }
.diagram .been rect { stroke: var(--accent); stroke-width: 1.5; }
.diagram .been text { fill: var(--text); }
.diagram .now rect { fill: currentColor; stroke: currentColor; }
.diagram .now text { fill: var(--surface); font-weight: 650; }
.diagram .now { background: none; }
.diagram .next rect { stroke-dasharray: 4 3; stroke: var(--field-line); }
.diagram .ways { stroke: var(--field-line); stroke-dasharray: 4 3; }
.diagram marker.open path { fill: var(--field-line); }
@media (forced-colors: active) {
  .diagram * { forced-color-adjust: none; }
  .diagram rect { fill: Canvas; stroke: CanvasText; }
  .diagram text { fill: CanvasText; }
  .diagram .ways { stroke: CanvasText; }
  .diagram .went, .diagram .been rect { stroke: Highlight; }
  .diagram marker path { fill: Highlight; }
  .diagram marker.open path { fill: CanvasText; }
  .diagram .now rect { fill: Highlight; stroke: Highlight; }
  .diagram .now text { fill: HighlightText; }
}
@media (min-width: 62rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 26rem; }
  .columns > .side { grid-column: 2; }
  .columns > .main { grid-column: 1; grid-row: 1 / span 2; }
}
@media (min-width: 44.01rem) {
  .compact { display: none; }
  .site nav { order: -1; }
  .site .brand { order: -2; }
}
@media (max-width: 44rem) {
  .roomy { display: none; }
  .filter { grid-template-columns: 1fr 1fr; }
  .filter > :first-child { grid-column: 1 / -1; }
  .pairs > div { grid-template-columns: 7rem minmax(0, 1fr); }
}
@media (prefers-reduced-motion: no-preference) { .fresh { animation: fresh 2s; } }
@keyframes fresh { from { background: var(--progress-ground); } }`;
