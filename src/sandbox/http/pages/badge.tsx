import { states, type StateName } from '../../../contract/states.js';

/** A state at a glance; the name says it, the colour only helps. */
export function StateBadge({ state }: { state: StateName }) {
  return <span class={`badge tone-${states[state].tone}`}>{state}</span>;
}
