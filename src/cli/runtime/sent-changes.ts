// Whether a command has sent anything that may have changed something at the service.

import type { ClientEvent } from '../../client/call.js';

export interface SentChanges {
  /** For the events of one client. */
  listener(): (event: ClientEvent) => void;
  /** For a command that sends or changes something in ways that are not counted here. */
  assumeSome(): void;
  /** False only while it is certain that nothing but reads has left. */
  any(): boolean;
}

export function createSentChanges(): SentChanges {
  const mayHaveLeft = new Set<string>();
  const underWay = new Set<string>();
  let clients = 0;
  let isAssumed = false;
  return {
    listener() {
      const client = (clients += 1);
      return (event) => {
        if (event.method === 'GET') return;
        const key = `${client}:${event.call}`;
        if (event.type === 'request') underWay.add(key);
        else if (event.type === 'answer') mayHaveLeft.add(key);
        else if (event.type === 'failure' && event.sent === 'maybe') mayHaveLeft.add(key);
        // A request that provably never left changed nothing, unless an earlier attempt did leave.
        if (event.type === 'failure') underWay.delete(key);
      };
    },
    assumeSome: () => void (isAssumed = true),
    any: () => isAssumed || mayHaveLeft.size + underWay.size > 0,
  };
}
