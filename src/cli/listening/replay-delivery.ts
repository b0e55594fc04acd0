// The key `r` of the live table: sends a saved webhook again to the targets of this listener.

import { commandText, paydesk } from '../../next-command.js';
import { type Line, toned } from '../../output/lines.js';
import { tookTime } from '../../output/time.js';
import { isSuccess } from '../../webhooks/forwarding/forwarder.js';
import { type ReplayDesk, replayMarks, replayTo } from '../../webhooks/forwarding/replay.js';
import { type Filter, mayPass, passes, type Target } from '../../webhooks/forwarding/targets.js';
import type { WholeDelivery } from '../../webhooks/inbox/inbox.js';

interface ReplayTargets {
  targets: readonly Target[];
  /** What holds for all of them. */
  filter: Filter;
}

/** Sends it to the targets whose filters let it through; resolves to what came of it. */
export async function replayDelivery(
  desk: ReplayDesk,
  delivery: WholeDelivery,
  { targets, filter }: ReplayTargets,
  profile: string | undefined,
): Promise<Line> {
  const { id } = delivery;
  // Where the read failed, nobody knows what the filters say, and the person who replays it decides.
  const isUnread = delivery.verdict === null || delivery.verdict === 'unread';
  const lets = (one: Filter) => passes(one, delivery) || (isUnread && mayPass(one, delivery));
  const chosen = targets.filter((target) => lets(filter) && lets(target.filter));
  if (chosen.length === 0) {
    const why = targets.length === 0 ? 'There is no target' : 'The filters of the targets exclude it';
    return `${why}: ${commandText(paydesk('webhook', 'replay', id, '--to', 'URL'), profile)}`;
  }
  const done = await Promise.all(
    chosen.map((target) => replayTo(desk, delivery, target, replayMarks(id, delivery))),
  );
  const told = done.map(({ attempt }) => `${attempt.status ?? attempt.error} in ${tookTime(attempt.ms)}`);
  const good = done.every(({ attempt }) => isSuccess(attempt.status));
  return toned(good ? 'good' : 'bad', `Replayed ${id}: ${told.join(', ')}`);
}
