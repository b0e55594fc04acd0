import { expect, it } from 'vitest';
import { plainLine, type ViewContext } from '../../src/output/lines.js';
import { displayWidth } from '../../src/output/text.js';
import { deliveryLine } from '../../src/output/views/webhook.js';

type Delivery = Parameters<typeof deliveryLine>[0];

it('a delivery has its state in the same column, whatever letters its reference has', () => {
  const columnOf = (referenceId: string) => {
    const seen = { verdict: 'new', state: 'Captured', previousState: null, saidState: null };
    const delivery = { time: 0, paymentId: '100231', referenceId, ...seen, forwards: [] };
    const line = plainLine(deliveryLine(delivery as unknown as Delivery, { terminal: true } as ViewContext));
    return displayWidth(line.slice(0, line.indexOf('Captured')));
  };
  expect(columnOf('注文書')).toBe(columnOf('inv-1'));
  expect(columnOf('a\u200bb')).toBe(columnOf('inv-1'));
});
