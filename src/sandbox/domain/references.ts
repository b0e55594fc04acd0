import { isKnownCurrency } from '../../contract/currencies.js';
import type { FieldError } from '../../contract/problem.js';
import { policyProblem, profileProblem, type App } from './apps.js';
import { Refusal } from './refusal.js';

/**
 * What a body names and the app does not have, every field at once. A field of the wrong type is for the schema to
 * judge and passes here.
 */
export function referenceErrors(app: App, body: object, now: number): FieldError[] {
  const fields = body as Readonly<Record<string, unknown>>;
  const errors: FieldError[] = [];
  const judge = (path: string, value: unknown, problemOf: (app: App, id: number) => string | undefined) => {
    const message = typeof value === 'number' ? problemOf(app, value) : undefined;
    if (message !== undefined) errors.push({ path, message });
  };
  const { currency, expirationTime, paymentProfiles } = fields;
  if (typeof currency === 'string' && !isKnownCurrency(currency)) {
    errors.push({ path: 'currency', message: 'is not a supported currency' });
  }
  if (typeof expirationTime === 'string' && Date.parse(expirationTime) <= now) {
    errors.push({ path: 'expirationTime', message: 'must be in the future' });
  }
  judge('fraudPolicyId', fields.fraudPolicyId, policyProblem);
  for (const [index, id] of Array.isArray(paymentProfiles) ? paymentProfiles.entries() : []) {
    judge(`paymentProfiles.${index}`, id, profileProblem);
  }
  judge('paymentProfileId', fields.paymentProfileId, profileProblem);
  judge('paymentMethodProviderProfileId', fields.paymentMethodProviderProfileId, profileProblem);
  return errors;
}

export function invalidRequest(errors: FieldError[]): Refusal {
  const list = errors.map(({ path, message }) => `${path || 'the body'} ${message}`).join('; ');
  return new Refusal('invalid-request', list, { errors });
}
