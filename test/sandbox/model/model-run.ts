import { checkAccepted, createAccepted, isAuthorisation, type Accepted } from './accepted.js';
import type { Outcome } from './http.js';
import { checkStory, must } from './invariants.js';
import { isPathOfTime, overdue, authorisedUntil, type Known, type Path, type StoredMethod } from './model.js';
import { ERROR_AFTER, ERROR_BEFORE } from './steps.js';
import { statesOf, type Story } from './story.js';
import type { World } from './world.js';

// What a run knows: the payments, how often each thing was accepted, and the faults that may hit the next call.

export interface Entry {
  known: Known;
  story: Story;
  /** The path and the body that made it. */
  request: { path: string; body: Record<string, unknown> };
  accepted: Accepted;
  hasStored: boolean;
}

/** What came of a call, as far as its answer says. */
export type CallEffect =
  | 'accepted'
  | 'refused'
  /** Not carried out, whatever it was. */
  | 'untouched'
  /** Handled as usual, and the answer was lost. */
  | 'handled'
  /** Either of the two. */
  | 'unclear';

interface FaultRow {
  kind: string;
  route: string;
  remaining: number | null;
}

export interface ModelRun {
  readonly world: World;
  readonly entries: Entry[];
  now: number;
  mayDrop: boolean;
  mayReorder: boolean;
  methods: Map<string, StoredMethod[]>;
  policyOfCustomer: Map<string, number | undefined>;
  policyOfApp: number | undefined;
  nextReference(): string;
  /** Lets everything that is due happen, after moving the clock. */
  advance(ms: number): Promise<void>;
  /** Finds out which faults may hit what comes next. */
  look(): Promise<void>;
  mayFail(kind: string, route: string): boolean;
  /** As mayFail, for faults on the next call and not on some of them. */
  mustFail(kind: string, route: string): boolean;
  effectOf(outcome: Outcome, route: string): CallEffect;
  /** One call with nothing beside it: a fault for the next call hits this one. */
  call(
    method: string,
    path: string,
    route: string,
    body?: unknown,
  ): Promise<{ outcome: Outcome; effect: CallEffect }>;
  find(key: string): Promise<Story | undefined>;
  /** Takes in what happened to a payment since; the path must be one of the allowed ones. */
  absorb(entry: Entry, paths: Path[]): Promise<void>;
  /** Takes in what time did to the payments. */
  absorbTime(except?: Entry): Promise<void>;
  /** As absorb, for a payment that may have gone any legal way. */
  absorbAny(entry: Entry): Promise<void>;
  add(entry: Omit<Entry, 'accepted' | 'hasStored' | 'story'>, story: Story, paths: Path[]): Promise<Entry>;
  refreshMethods(customer: string): Promise<void>;
  /** A read that is repeated until no fault hits it. */
  read(path: string): Promise<{ status: number; body: unknown }>;
}

const BEFORE = ['drop-before-commit'];
const AFTER = ['drop-after-commit', 'truncate'];
const TELLING = [...BEFORE, ...AFTER, 'error-before-commit', 'error-after-commit', 'rate-limit'];

export function createModelRun(world: World, start: number): ModelRun {
  let faults: FaultRow[] = [];
  let references = 0;
  const mayFail = (kind: string, route: string) =>
    faults.some(
      (fault) =>
        fault.kind === kind && (fault.route === '*' || fault.route === route) && fault.remaining !== 0,
    );

  async function find(key: string): Promise<Story | undefined> {
    const { status, body } = await world.control('GET', `/payments/${key}/story`);
    must(status === 200 || status === 404, `the story of ${key} was answered with ${status}`);
    return status === 200 ? (body as Story) : undefined;
  }

  async function renew(entry: Entry): Promise<Path> {
    const { length } = entry.story.events;
    const story = await find(`id:${entry.story.payment.paymentId}`);
    must(story !== undefined, `payment ${entry.known.reference} is gone`, entry.story);
    const before = statesOf(entry.story).join();
    must(statesOf(story).slice(0, length).join() === before, 'history was rewritten', story);
    entry.story = story;
    await take(entry, length);
    return statesOf(story).slice(length);
  }

  /** Checks a story from one of its events on, and what follows from them. */
  async function take(entry: Entry, from: number): Promise<void> {
    const { story, known } = entry;
    checkStory(story, model.now);
    checkAccepted(story, entry.accepted, known.autoCapture);
    checkExpiry(entry, from);
    const late = overdue(known, story, model.now);
    must(late === undefined, `${late}, and the payment is still ${story.payment.paymentState}`, story);
    const authorised = story.events.slice(from).find(isAuthorisation);
    if (!authorised || !known.saves || known.method || entry.hasStored) return;
    entry.hasStored = true;
    const list = model.methods.get(known.customer) ?? [];
    model.methods.set(known.customer, list);
    list.push({
      id: 0,
      card: known.card,
      profile: known.profile ?? 0,
      since: authorised.time,
      active: true,
      removed: false,
    });
  }

  const model: ModelRun = {
    world,
    entries: [],
    now: start,
    mayDrop: false,
    mayReorder: false,
    methods: new Map(),
    policyOfCustomer: new Map(),
    policyOfApp: undefined,

    nextReference: () => `r-${++references}`,

    async advance(ms) {
      const { status, body } = await world.control('POST', '/clock', { action: 'advance', value: ms });
      must(status === 200, `the clock was answered with ${status}`);
      const now = Date.parse((body as { now: string }).now);
      must(now >= model.now + ms, 'the clock did not move as far as it was told to');
      model.now = now;
    },

    async look() {
      faults = (await world.control('GET', '/faults')).body as FaultRow[];
    },

    mayFail,
    mustFail: (kind, route) =>
      faults.some(
        (fault) => fault.kind === kind && ['*', route].includes(fault.route) && (fault.remaining ?? 0) > 0,
      ),

    effectOf(outcome, route) {
      const may = (kinds: string[]) => kinds.some((kind) => mayFail(kind, route));
      if (outcome === 'lost') {
        must(may(BEFORE) || may(AFTER), `${route}: the connection was lost without a fault`);
        if (!may(AFTER)) return 'untouched';
        return may(BEFORE) ? 'unclear' : 'handled';
      }
      const { status, body } = outcome;
      if (status >= 200 && status < 300) return 'accepted';
      const says = `${route} was answered with ${status} ${JSON.stringify(body)}`;
      if (status === ERROR_AFTER) {
        must(may(['error-after-commit']), says);
        return 'handled';
      }
      if (status === ERROR_BEFORE || status === 429) {
        must(may([status === 429 ? 'rate-limit' : 'error-before-commit']), says);
        return 'untouched';
      }
      must(status >= 400 && status < 500, says);
      return 'refused';
    },

    async call(method, path, route, body) {
      const hit = TELLING.find((kind) => model.mustFail(kind, route));
      const outcome = await world.api(method, path, body);
      const effect = model.effectOf(outcome, route);
      must(!hit || (effect !== 'accepted' && effect !== 'refused'), `${route} was not hit by ${hit}`);
      return { outcome, effect };
    },

    find,

    async absorb(entry, paths) {
      const path = await renew(entry);
      const isAllowed = paths.some(
        (allowed) => allowed.join() === path.join() || [...allowed, 'Expired'].join() === path.join(),
      );
      const wanted = paths.map((allowed) => allowed.join(' ') || 'nothing').join(' or ');
      must(isAllowed, `went ${path.join(' ') || 'nowhere'}, expected ${wanted}`, entry.story);
    },

    async absorbTime(except) {
      for (const entry of model.entries) {
        // What is over is looked at again at the end of the run.
        if (entry === except || isOver(entry)) continue;
        const path = await renew(entry);
        const isFit = isPathOfTime(entry.known, entry.story, path.length);
        must(isFit, `time took it along ${path.join(' ')}`, entry.story);
      }
      await refreshAll();
    },

    async absorbAny(entry) {
      await renew(entry);
    },

    async add(entry, story, paths) {
      const added: Entry = { ...entry, story, accepted: createAccepted(), hasStored: false };
      if (added.known.flow === 'charge') added.accepted.count('authorise', 'surely');
      model.entries.push(added);
      const path = statesOf(story);
      const isAllowed = paths.some((allowed) => allowed.join() === path.join());
      must(isAllowed, `began with ${path.join(' ')}, expected ${JSON.stringify(paths)}`, story);
      await take(added, 0);
      return added;
    },

    async refreshMethods(customer) {
      const list = model.methods.get(customer) ?? [];
      if (list.length === 0) return;
      const { status, body } = await model.read(`/customers/${customer}/payment-methods`);
      must(status === 200, `the methods of ${customer} were answered with ${status}`);
      const shown = body as ShownMethod[];
      for (const { paymentMethodId, createdTime, paymentProfileId } of shown) {
        if (list.some((method) => method.id === paymentMethodId)) continue;
        const made = list.find(
          ({ id, since, profile }) =>
            id === 0 && since === Date.parse(createdTime) && world.profileIds[profile] === paymentProfileId,
        );
        must(made !== undefined, `${customer} has a stored method ${paymentMethodId} that nothing explains`);
        made.id = paymentMethodId;
      }
      const expected = list
        .filter(({ removed }) => !removed)
        .map(({ id, active }) => `${id} ${active}`)
        .sort();
      const found = shown.map(({ paymentMethodId, isActive }) => `${paymentMethodId} ${isActive}`).sort();
      must(
        expected.join() === found.join(),
        `${customer} has methods ${found.join()}, expected ${expected.join()}`,
      );
      list.sort((a, b) => a.id - b.id);
    },

    async read(path) {
      for (let attempt = 0; attempt < 60; attempt++) {
        const outcome = await world.api('GET', path);
        if (outcome === 'lost' || outcome.status >= 500 || outcome.status === 429) continue;
        return outcome;
      }
      throw new Error(`GET ${path} was hit by a fault every time`);
    },
  };

  async function refreshAll(): Promise<void> {
    for (const [customer, list] of model.methods) {
      if (list.some((method) => method.id === 0)) await model.refreshMethods(customer);
    }
  }

  return model;
}

interface ShownMethod {
  paymentMethodId: number;
  createdTime: string;
  paymentProfileId: number;
  isActive: boolean;
}

export function isOver({ story }: Entry): boolean {
  return ['Refunded', 'Cancelled', 'Failed', 'Expired'].includes(story.payment.paymentState);
}

function checkExpiry({ known, story }: Entry, from: number): void {
  for (const event of story.events.slice(from)) {
    if (event.to_state !== 'Expired') continue;
    const limit = event.from_state === 'Authorised' ? authorisedUntil(known, story) : known.expires;
    must(limit !== undefined && event.time >= limit, 'expired before its time', story);
  }
}
