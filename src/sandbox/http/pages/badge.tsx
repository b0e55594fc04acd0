import { states, statesAwaitingProvider, type StateName } from '../../../contract/states.js';

/** Amber is for what waits on somebody: a customer, the merchant, or a person who should recheck. */
export function toneOf(state: StateName, isStuck = false): string {
  return statesAwaitingProvider.includes(state) && !isStuck ? 'progress' : states[state].tone;
}

/** A state at a glance; the name says it, the colour only helps. */
export function StateBadge({ state, isStuck = false }: { state: StateName; isStuck?: boolean }) {
  return <span class={`badge tone-${toneOf(state, isStuck)}`}>{state}</span>;
}
