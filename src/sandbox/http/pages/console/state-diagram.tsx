import { stateNames, states, type StateName } from '../../../../contract/states.js';
import { allWays, BOX, centreOf, lineOf, SIZE, waysOf } from '../../../console/diagram.js';

/** The states of a payment with the way that it went; the same in words for whoever cannot see it. */
export function StateDiagram({ path }: { path: readonly StateName[] }) {
  const now = path.at(-1);
  const visited = new Set(path);
  return (
    <figure class="diagram">
      <svg
        viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
        role="img"
        aria-labelledby="diagram-title diagram-path"
      >
        <title id="diagram-title">The states of a payment, with the way that this one went</title>
        <defs>
          <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
            <path d="M0 0L8 4L0 8z" />
          </marker>
        </defs>
        <path class="ways" d={allWays.map(lineOf).join('')} />
        {waysOf(path).map((way) => (
          <path class="went" d={lineOf(way)} marker-end="url(#tip)" />
        ))}
        {stateNames.map((state) => {
          const { x, y } = centreOf(state);
          const look = state === now ? `now tone-${states[state].tone}` : visited.has(state) ? 'been' : '';
          return (
            <g class={look}>
              <rect
                x={x - BOX.width / 2}
                y={y - BOX.height / 2}
                width={BOX.width}
                height={BOX.height}
                rx="7"
              />
              <text x={x} y={y + 4}>
                {state}
              </text>
            </g>
          );
        })}
      </svg>
      <figcaption class="small" id="diagram-path">
        Its way: {pathText(path)}
      </figcaption>
    </figure>
  );
}

const SHOWN = 12;

function pathText(path: readonly StateName[]): string {
  return `${path.length > SHOWN ? '… → ' : ''}${path.slice(-SHOWN).join(' → ')}.`;
}
