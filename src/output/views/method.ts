import { isJsonObject } from '../../contract/json.js';
import { toned } from '../lines.js';
import type { ListView } from '../rows.js';
import { shortInstant } from '../time.js';
import { textAt, textOf, valueAt } from '../values.js';
import { cardText } from './payment.js';

// Some services answer with ids only.
const idOf = (method: unknown): string =>
  isJsonObject(method) ? textAt(method, 'paymentMethodId') : textOf(method);

const description = (method: unknown): string =>
  cardText(valueAt(method, 'card')) || textAt(method, 'paymentMethodType');

export const methodList: ListView<unknown> = {
  empty: 'No stored payment methods.',
  columns: [
    { key: 'method', value: idOf },
    { key: 'paid-with', title: 'paid with', value: description },
    { key: 'profile', value: (method) => textAt(method, 'paymentProfileId') },
    { key: 'registration', value: (method) => textAt(method, 'customerAutomaticProfileId') },
    {
      key: 'active',
      value: (method) => textAt(method, 'isActive'),
      shown: (method) =>
        toned(valueAt(method, 'isActive') === false ? 'dim' : undefined, textAt(method, 'isActive')),
    },
    {
      key: 'created',
      value: (method) => textAt(method, 'createdTime'),
      shown: (method, context) => shortInstant(textAt(method, 'createdTime'), context),
    },
    { key: 'type', extra: true, value: (method) => textAt(method, 'paymentMethodType') },
  ],
};

/** `method 12 (Visa credit, expires 04/2029)`, for a question. */
export function methodName(id: string, method: unknown): string {
  const what = method === undefined ? '' : description(method);
  return what === '' ? `method ${id}` : `method ${id} (${what})`;
}
