import { describe, expect, it } from 'vitest';
import { lineWidth, plainLine } from '../../src/output/lines.js';
import { tableFrame, type TableState } from '../../src/output/views/webhook-table.js';

const secret = 'AnBC-0123456789abcdefghijklmnopq';
const url = `https://${'long-name-of-a-tunnel.'.repeat(4)}example.com/wh/${secret}`;
const message = `Copied, if your terminal allows it: ${url}`;

const frame = (columns: number, more: Partial<TableState> = {}) =>
  tableFrame({
    ready: {
      url,
      localUrl: `http://127.0.0.1:4020/wh/${secret}`,
      secret,
      targets: ['http://localhost:3000/hooks'],
      chaos: undefined,
      chaosSeed: undefined,
      connect: undefined,
    },
    deliveries: [],
    selected: 0,
    down: undefined,
    message,
    details: undefined,
    size: { columns, rows: 24 },
    ...more,
  });

describe('a message in the live table', () => {
  it.each([40, 60, 80, 120, 200])('is wrapped into %i columns, so that an address can be read', (columns) => {
    for (const details of [undefined, { lines: ['POST /wh/[redacted]'], from: 0 }]) {
      const lines = frame(columns, { details });
      expect(lines).toHaveLength(24);
      expect(Math.max(...lines.map(lineWidth))).toBeLessThanOrEqual(columns);
      const text = lines.map(plainLine).join('').replaceAll(' ', '');
      expect(text.endsWith(message.replaceAll(' ', ''))).toBe(true);
    }
  });

  it('is whole on a screen with too few rows for anything else', () => {
    const lines = frame(60, { size: { columns: 60, rows: 5 } }).map(plainLine);
    expect(lines).toHaveLength(5);
    expect(lines.join('')).toContain(url);
  });
});
