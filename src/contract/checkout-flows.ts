/** How a customer pays, as a person chooses it. */
export const checkoutFlows = ['hosted-page', 'plain', 'provider-hosted-page'] as const;
export type Flow = (typeof checkoutFlows)[number];
