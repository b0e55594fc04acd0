/** Everything that happened to a payment, as the control API tells it. */
export interface Story {
  payment: {
    paymentId: number;
    referenceId: string;
    paymentState: string;
    amount: number;
    capturedAmount: number;
    customerId: string;
    currency: string;
  };
  events: Array<{
    version: number;
    from_state: string | null;
    to_state: string;
    time: number;
    finished: number;
    outcome: string | null;
  }>;
  operations: Array<{ kind: string; status: string; from_state: string; time: number }>;
  exchanges: Array<{
    kind: Instruction;
    done: number;
    answer: string;
    time: number;
    answered_time: number | null;
  }>;
}

export type Instruction = 'authorize' | 'capture' | 'refund' | 'void';

export function statesOf(story: Story): string[] {
  return story.events.map((event) => event.to_state);
}

export function lastExchange(story: Story, kind: Instruction): Story['exchanges'][number] | undefined {
  return story.exchanges.findLast((exchange) => exchange.kind === kind);
}

/** The state from which the payment came to be in the one that it is in. */
export function cameFrom(story: Story): string {
  return story.events.at(-1)?.from_state ?? 'Created';
}
