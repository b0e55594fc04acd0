import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaydeskError, TemporaryError, UsageError } from '../../../src/errors.js';
import { openTunnel, type OpenTunnelOptions } from '../../../src/webhooks/tunnels/supervise.js';
import type { Tunnel, TunnelRun, TunnelStart } from '../../../src/webhooks/tunnels/tunnel.js';
import { eventually } from '../../helpers/sandbox.js';
import { quick, type Receiver, startReceiver, storyOf } from './receiver.js';

let receiver: Receiver;
let other: Receiver;
let run: TunnelRun | undefined;
beforeEach(async () => {
  [receiver, other] = await Promise.all([startReceiver(), startReceiver()]);
});
afterEach(async () => {
  await run?.stop();
  run = undefined;
  await Promise.all([receiver.close(), other.close()]);
});

/** A tunnel that leads where it is told to, and ends when it is told to. */
interface Way {
  starts: TunnelStart[];
  /** How many connections are. */
  open: number;
  /** Where the next connections lead; undefined refuses them. */
  url: string | undefined;
  end: (error: PaydeskError) => void;
  tunnel: Tunnel;
}

function createWay(settings: Partial<Tunnel> = {}): Way {
  const way: Way = {
    starts: [],
    open: 0,
    url: `http://127.0.0.1:${receiver.port}`,
    end: () => {},
    tunnel: {
      name: 'way',
      thirdParty: false,
      readyMs: 300,
      reconnectMs: 0,
      start(options) {
        way.starts.push(options);
        if (way.url === undefined) {
          return Promise.reject(new TemporaryError('No way there.', { code: 'no-way' }));
        }
        way.open += 1;
        const ended = new Promise<PaydeskError>((resolve) => (way.end = resolve));
        const fixed = way.url;
        const stop = () => {
          if (way.open > 0) way.open -= 1;
          return Promise.resolve();
        };
        return Promise.resolve({ url: fixed, ended, stop });
      },
      ...settings,
    },
  };
  return way;
}

async function open(tunnel: Tunnel, options: Partial<OpenTunnelOptions> = {}) {
  run = await openTunnel({
    tunnel,
    probe: receiver.probe,
    localPort: receiver.port,
    signal: new AbortController().signal,
    note: () => {},
    interactive: false,
    pace: quick,
    ...options,
  });
  return run;
}

const cut = () => new TemporaryError('Cut.', { code: 'cut' });

describe('a watched tunnel', () => {
  it('is probed again and again, and says nothing while all is well', async () => {
    const story = storyOf(await open(createWay().tunnel));
    await eventually(() => expect(receiver.probes).toBeGreaterThan(5));
    expect(story.events).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  it('is down at the moment that its connection ends, however long until the next probe', async () => {
    const way = createWay();
    const story = storyOf(await open(way.tunnel, { pace: { ...quick, healthMs: 3_600_000 } }));
    way.end(cut());
    expect(await story.next('down')).toEqual({ type: 'down', why: 'Cut.' });
    await story.next('up');
    expect(way.starts.map(({ attempt, previousUrl }) => ({ attempt, previousUrl }))).toEqual([
      { attempt: 1, previousUrl: undefined },
      { attempt: 1, previousUrl: `http://127.0.0.1:${receiver.port}` },
    ]);
  });

  it('is probed at once when the machine wakes from a sleep', async () => {
    let slept = 0;
    await open(createWay().tunnel, {
      pace: { ...quick, healthMs: 3_600_000 },
      now: () => Date.now() + slept,
    });
    const before = receiver.probes;
    slept = 8 * 3_600_000;
    await eventually(() => expect(receiver.probes).toBeGreaterThan(before));
  });

  it('forgets after a sleep how often it failed before', async () => {
    let slept = 0;
    const way = createWay();
    const pace = { ...quick, attempts: 3, pauseMs: 3_600_000, longestPauseMs: 3_600_000 };
    let pauses = 0;
    const random = () => {
      pauses += 1;
      return 1;
    };
    const story = storyOf(await open(way.tunnel, { pace, random, now: () => Date.now() + slept }));
    way.url = undefined;
    way.end(cut());
    for (let nights = 1; nights <= 5; nights += 1) {
      await eventually(() => expect(pauses).toBe(nights));
      slept += 8 * 3_600_000;
    }
    await eventually(() => expect(pauses).toBe(6));
    way.url = `http://127.0.0.1:${receiver.port}`;
    slept += 8 * 3_600_000;
    await story.next('up');
    expect(new Set(way.starts.slice(1).map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  it('is not called down for one probe that got lost', async () => {
    const way = createWay();
    const story = storyOf(await open(way.tunnel, { pace: { ...quick, probeMs: 500 } }));
    for (let round = 0; round < 3; round += 1) {
      const before = receiver.probes;
      receiver.swallow = 1;
      await eventually(() => {
        expect(receiver.swallow).toBe(0);
        expect(receiver.probes).toBeGreaterThan(before);
      });
    }
    expect(story.events).toEqual([]);
  });

  it('is left alone where it mends itself, and keeps its address', async () => {
    const way = createWay({ reconnectMs: 60_000 });
    const story = storyOf(await open(way.tunnel, { pace: { ...quick, probeMs: 200 } }));
    receiver.mute = true;
    await story.next('down');
    receiver.mute = false;
    await story.next('up');
    expect(way.starts).toHaveLength(1);
    expect(story.events.map(({ type }) => type)).toEqual(['down', 'up']);
  });

  it('is replaced where it does not mend itself in time', async () => {
    const way = createWay({ reconnectMs: 100 });
    const story = storyOf(await open(way.tunnel, { pace: { ...quick, probeMs: 100 } }));
    receiver.mute = true;
    await story.next('down');
    await eventually(() => expect(way.starts.length).toBeGreaterThan(2));
    receiver.mute = false;
    await story.next('up');
    expect(way.open).toBe(1);
  });

  it('announces an address that its provider changed while it ran', async () => {
    let url = `http://127.0.0.1:${receiver.port}`;
    const story = storyOf(
      await open({
        name: 'moving',
        thirdParty: true,
        readyMs: 300,
        reconnectMs: 0,
        start: () =>
          Promise.resolve({
            get url() {
              return url;
            },
            ended: new Promise<never>(() => {}),
            stop: () => Promise.resolve(),
          }),
      }),
    );
    const previous = url;
    url = `http://localhost:${receiver.port}`;
    expect(await story.next('url-changed')).toEqual({ type: 'url-changed', url, previous });
    expect(run?.url).toBe(url);
    const before = receiver.probes;
    await eventually(() => expect(receiver.probes).toBeGreaterThan(before));
    expect(story.events.map(({ type }) => type)).toEqual(['url-changed']);
  });

  it('tells its new address before it is up again', async () => {
    const way = createWay();
    const story = storyOf(await open(way.tunnel));
    const previous = run?.url;
    way.url = `http://localhost:${receiver.port}`;
    way.end(cut());
    await story.next('up');
    expect(story.events).toEqual([
      { type: 'down', why: 'Cut.' },
      { type: 'url-changed', url: way.url, previous },
      { type: 'up', downMs: expect.any(Number) as number },
    ]);
  });

  it('waits longer after each failure, up to the longest, and never exactly as long as others', async () => {
    const way = createWay();
    const pauses: number[] = [];
    const random = () => {
      pauses.push(performance.now());
      return 0;
    };
    const pace = { ...quick, attempts: 5, pauseMs: 40, longestPauseMs: 160 };
    const story = storyOf(await open(way.tunnel, { pace, random }));
    way.url = undefined;
    way.end(cut());
    const { error } = await story.next('failed');
    expect(error.message).toBe('The tunnel way does not work, after 5 attempts.');
    expect(error.details).toBe('No way there.');
    expect(error).toBeInstanceOf(TemporaryError);
    // Half of 40, 80, 160 and 160 at the least; a pause never ends early.
    const gaps = pauses.slice(1).map((at, index) => at - (pauses[index] as number));
    [20, 40, 80].forEach((least, index) => expect(gaps[index]).toBeGreaterThanOrEqual(least - 1));
    expect(pauses).toHaveLength(4);
  });

  it('says nothing more after it failed', async () => {
    const way = createWay();
    const story = storyOf(await open(way.tunnel, { pace: { ...quick, attempts: 1 } }));
    way.url = undefined;
    way.end(cut());
    await story.next('failed');
    const before = receiver.probes;
    await run?.stop();
    expect(story.events.map(({ type }) => type)).toEqual(['down', 'failed']);
    expect(receiver.probes).toBe(before);
    expect(way.open).toBe(0);
  });
});

describe('opening a tunnel', () => {
  it('does not take another listener for this one', async () => {
    const way = createWay();
    way.url = `http://127.0.0.1:${other.port}`;
    await expect(open(way.tunnel)).rejects.toMatchObject({
      code: 'tunnel-failed',
      details: `${way.url} does not lead to port ${receiver.port} of this machine: something else answers there.`,
    });
    expect(other.received.length).toBeGreaterThan(0);
    expect(way.open).toBe(0);
  });

  it('does not try again what cannot succeed', async () => {
    const way = createWay();
    const missing = new UsageError('Not installed.', { code: 'tunnel-missing' });
    const tunnel = { ...way.tunnel, start: () => Promise.reject(missing) };
    await expect(open(tunnel, { pace: { ...quick, firstAttempts: 1_000 } })).rejects.toBe(missing);
  });

  it('asks a person only the first time', async () => {
    const way = createWay();
    const story = storyOf(await open(way.tunnel, { interactive: true }));
    way.end(cut());
    await story.next('up');
    expect(way.starts.map(({ interactive }) => interactive)).toEqual([true, false]);
  });

  it('stops what it started when it is aborted', async () => {
    receiver.mute = true;
    const way = createWay({ readyMs: 60_000 });
    const aborting = new AbortController();
    const opening = open(way.tunnel, { signal: aborting.signal });
    await eventually(() => expect(way.open).toBe(1));
    aborting.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');
    expect(way.open).toBe(0);
  });

  it('ends with the signal that it was given, also later', async () => {
    const way = createWay();
    const aborting = new AbortController();
    await open(way.tunnel, { signal: aborting.signal });
    aborting.abort();
    await eventually(() => expect(way.open).toBe(0));
  });
});
