import { expect, it } from 'vitest';
import { waitingElsewhereLines } from '../../src/output/views/webhook.js';

it('webhooks that wait for other targets are one line, with what can be done', () => {
  expect(waitingElsewhereLines([])).toEqual([]);
  const advice =
    'not among the targets of this listener. Forward them with --forward-to, or send one elsewhere with paydesk webhook replay ID --to URL.';
  expect(waitingElsewhereLines([{ target: 'http://a.example/', count: 1 }])).toEqual([
    `1 webhook is waiting for http://a.example/, ${advice}`,
  ]);
  const two = [
    { target: 'http://a.example/', count: 1 },
    { target: 'http://b.example/', count: 2 },
  ];
  expect(waitingElsewhereLines(two)).toEqual([`3 webhooks are waiting for 2 targets, ${advice}`]);
});
