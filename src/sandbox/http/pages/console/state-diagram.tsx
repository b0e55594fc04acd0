import { stateNames, type StateName } from '../../../../contract/states.js';
import { BOX, centreOf, diagramFrame, lineOf, waysFrom, waysOf } from '../../../console/diagram.js';
import { toneOf } from '../badge.js';

/** The way that a payment went, and where it can go from here; the same in words for people who cannot see it. */
export function StateDiagram({ path }: { path: readonly StateName[] }) {
  const now = path.at(-1) ?? 'Created';
  const visited = new Set(path);
  const open = waysFrom(now);
  const shown = new Set<StateName>([now, ...visited, ...open.map(([, to]) => to)]);
  return (
    <figure class="diagram">
      <svg viewBox={diagramFrame(shown)} role="img" aria-labelledby="diagram-title diagram-path">
        <title id="diagram-title">The states that this payment went through and can reach next</title>
        <defs>
          <Tip id="tip" />
          <Tip id="open-tip" class="open" />
        </defs>
        {open.map((way) => (
          <path class="ways" d={lineOf(way)} marker-end="url(#open-tip)" />
        ))}
        {waysOf(path).map((way) => (
          <path class="went" d={lineOf(way)} marker-end="url(#tip)" />
        ))}
        {stateNames
          .filter((state) => shown.has(state))
          .map((state) => (
            <State
              state={state}
              look={state === now ? `now tone-${toneOf(state)}` : visited.has(state) ? 'been' : 'next'}
            />
          ))}
      </svg>
      <figcaption class="small" id="diagram-path">
        Path taken: {pathText(path)}{' '}
        {open.length === 0
          ? 'This is a final state.'
          : `Possible next: ${open.map(([, to]) => to).join(', ')}.`}
      </figcaption>
    </figure>
  );
}

function Tip({ id, ...rest }: { id: string; class?: string }) {
  return (
    <marker
      id={id}
      {...rest}
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="5"
      markerHeight="5"
      orient="auto"
    >
      <path d="M0 0L8 4L0 8z" />
    </marker>
  );
}

function State({ state, look }: { state: StateName; look: string }) {
  const { x, y } = centreOf(state);
  return (
    <g class={look}>
      <rect x={x - BOX.width / 2} y={y - BOX.height / 2} width={BOX.width} height={BOX.height} rx="7" />
      <text x={x} y={y + 4}>
        {state}
      </text>
    </g>
  );
}

const MAX_SHOWN = 12;

function pathText(path: readonly StateName[]): string {
  return `${path.length > MAX_SHOWN ? '… → ' : ''}${path.slice(-MAX_SHOWN).join(' → ')}.`;
}
