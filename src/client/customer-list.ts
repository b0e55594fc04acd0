import { isJsonNumber, isJsonObject, parseJson, type JsonObject, type JsonValue } from '../contract/json.js';
import { ServiceError, TemporaryError } from '../errors.js';
import type { Clock } from './clock.js';
import { BodyLost, type Exchange, type OpenAnswer } from './exchange.js';
import { failure } from './failures.js';
import { createListSplitter } from './list-splitter.js';
import { errorOf, type ErrorContext } from './service-errors.js';
import { retryPolicy, type Retried, type RetryBudget } from './retry.js';

export interface ListTools {
  open(query: Record<string, string>): Promise<Retried<Exchange | OpenAnswer>>;
  context: ErrorContext;
  clock: Clock;
  random: () => number;
  budget: RetryBudget;
}

interface PageEnd {
  envelope: JsonValue;
  count: number;
}

/** Every customer of the app in whatever way the service pages, one at a time. */
export async function* listObjects(
  tools: ListTools,
  params: Record<string, string>,
): AsyncGenerator<JsonObject> {
  let query = params;
  let listed = 0;
  let firstOfAll: string | undefined;
  const cursors = createCycleGuard();
  const byHand = ['page', 'offset', 'skip', 'cursor'].some((name) => Object.hasOwn(params, name));

  for (let number = 1, probing = false; ; number += 1) {
    const page = readPage(tools, query);
    let end: PageEnd;
    let position = 0;
    for (;;) {
      const step = await page.next().catch((error: unknown) => {
        // A service that does not page at all may refuse to be asked for a second page.
        if (probing && number === 2 && position === 0 && error instanceof ServiceError) return undefined;
        throw error;
      });
      if (step === undefined) return;
      if (step.done) {
        end = step.value;
        break;
      }
      const object = isJsonObject(step.value) ? step.value : { customerId: step.value };
      const identity = JSON.stringify(object.customerId ?? object);
      firstOfAll ??= identity;
      // The second place too: a customer may have been added on top since.
      if (number > 1 && position < 2 && identity === firstOfAll) {
        await page.return({ envelope: null, count: 0 });
        if (probing) return;
        throw stuck('it repeats the first page');
      }
      position += 1;
      yield object;
    }
    listed += end.count;

    const next = nextPage(end, query, listed, Number(params.page ?? 1));
    if (next.kind === 'end') return;
    if (next.kind === 'cursor' && !cursors.add(next.cursor)) throw stuck('it repeats a cursor');
    if (next.kind === 'unsaid') {
      if (byHand || end.count === 0) return;
      probing = true;
      query = { ...params, page: String(number + 1) };
    } else {
      query = { ...params, ...next.query };
    }
  }
}

type NextPage =
  | { kind: 'end' }
  | { kind: 'cursor'; cursor: string; query: Record<string, string> }
  | { kind: 'page'; query: Record<string, string> }
  /** A bare list: whether there is more can only be found by asking. */
  | { kind: 'unsaid' };

function nextPage(
  { envelope, count }: PageEnd,
  query: Record<string, string>,
  listed: number,
  startPage: number,
): NextPage {
  if (!isJsonObject(envelope)) return { kind: 'unsaid' };
  const holders = [envelope, envelope.data, envelope.meta, envelope.pagination].filter(isJsonObject);
  const find = (name: string) => holders.find((holder) => Object.hasOwn(holder, name))?.[name];
  const cursor = find('nextCursor');
  if (cursor !== undefined) {
    const text = typeof cursor === 'string' || isJsonNumber(cursor) ? String(cursor) : '';
    return text === '' ? { kind: 'end' } : { kind: 'cursor', cursor: text, query: { cursor: text } };
  }
  if (holders.some((holder) => Object.hasOwn(holder, 'items'))) return { kind: 'end' };
  const [total, page, pageSize] = [find('total'), find('page'), find('pageSize')].map((value) =>
    isJsonNumber(value) ? Number(value) : undefined,
  );
  if (total === undefined && page === undefined) return { kind: 'unsaid' };
  const asked = Number(query.page ?? page ?? 1);
  if (page !== undefined && query.page !== undefined && page !== asked)
    throw stuck('it ignores the requested page');
  if (query.pageSize !== undefined && pageSize !== undefined && pageSize !== Number(query.pageSize)) {
    throw stuck('it changes its page size between pages');
  }
  const passed = listed + Math.max(0, startPage - 1) * (pageSize ?? 0);
  if (count === 0 || (total !== undefined && passed >= total)) return { kind: 'end' };
  if (total === undefined && pageSize !== undefined && count < pageSize) return { kind: 'end' };
  return {
    kind: 'page',
    query: { page: String(asked + 1), ...(pageSize === undefined ? {} : { pageSize: String(pageSize) }) },
  };
}

/** One page, element by element. When it breaks off it is read again, and what was handed out is skipped. */
async function* readPage(
  tools: ListTools,
  query: Record<string, string>,
): AsyncGenerator<JsonValue, PageEnd> {
  let handedOut = 0;
  let lastText = '';
  for (let tries = 1; ; tries += 1) {
    const result = await tools.open(query);
    if (result.last.kind !== 'open') throw errorOf(result, tools.context);
    const { scrub = (text: string) => text } = result.last;
    const splitter = createListSplitter();
    const decoder = new TextDecoder();
    let seen = 0;
    try {
      for await (const chunk of result.last.body) {
        for (const text of splitter.push(decoder.decode(chunk, { stream: true }))) {
          seen += 1;
          if (seen === handedOut && text !== lastText) throw changed();
          if (seen <= handedOut) continue;
          const value = parseElement(scrub(text));
          handedOut = seen;
          lastText = text;
          yield value;
        }
      }
      const envelope = splitter.end();
      if (envelope === undefined) throw new BodyLost(failure('cut', 'the list is incomplete', false));
      return { envelope, count: seen };
    } catch (error) {
      if (!(error instanceof BodyLost)) throw error;
      const { failure: why } = error;
      if (why.permanent || tries >= retryPolicy.attempts || !tools.budget.take()) {
        throw errorOf({ ...result, last: { kind: 'lost', failure: why } }, tools.context);
      }
      await tools.clock.sleep(tools.random() * retryPolicy.baseMs * 2 ** tries, tools.context.signal);
    }
  }
}

function parseElement(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    throw new BodyLost(failure('malformed', 'the list has an element that is not JSON', false));
  }
}

function changed(): TemporaryError {
  return new TemporaryError('The list changed while paydesk was reading it. Run the command again.', {
    code: 'list-changed',
  });
}

function stuck(why: string): ServiceError {
  return new ServiceError(`The list of customers cannot be read completely: ${why}.`, {
    code: 'paging-stuck',
    next: ['paydesk customers list --param page=2'],
  });
}

/** Notices a cursor that comes back, in constant memory (Brent): it is compared with one kept at powers of two. */
function createCycleGuard() {
  let kept: string | undefined;
  let steps = 0;
  let power = 1;
  return {
    add(cursor: string): boolean {
      if (cursor === kept) return false;
      steps += 1;
      if (steps === power) {
        kept = cursor;
        steps = 0;
        power *= 2;
      }
      return true;
    },
  };
}
