import { expect, it } from 'vitest';
import { plainLine } from '../../src/output/lines.js';
import { waitingElsewhereLines } from '../../src/output/views/webhook.js';

it('webhooks that wait for other targets are counted, with what can be done', () => {
  expect(waitingElsewhereLines([])).toEqual([]);
  const plain = (waiting: Parameters<typeof waitingElsewhereLines>[0]) =>
    waitingElsewhereLines(waiting).map(plainLine);
  const advice =
    'not among the targets of this listener. Add --forward-to to forward them there, or send one elsewhere:';
  const command = '  paydesk webhook replay ID --to URL';
  expect(plain([{ target: 'http://a.example/', count: 1 }])).toEqual([
    `1 webhook is waiting for http://a.example/, ${advice}`,
    command,
  ]);
  const two = [
    { target: 'http://a.example/', count: 1 },
    { target: 'http://b.example/', count: 2 },
  ];
  expect(plain(two)).toEqual([`3 webhooks are waiting for 2 targets, ${advice}`, command]);
});
