import { paydesk } from '../next-command.js';
import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '../contract/json.js';
import { ServiceError, TemporaryError } from '../errors.js';
import type { Clock } from './clock.js';
import { BodyLost, type Exchange, type OpenAnswer } from './exchange.js';
import { failure } from './failures.js';
import { createListSplitter } from './list-splitter.js';
import { cursorParameters, nextPage, type Page } from './paging.js';
import { errorOf, type ErrorContext } from './service-errors.js';
import { backoffMs, type Retried, type RetryBudget, type RetryPolicy } from './retry.js';

export interface ListTools {
  open(query: Record<string, string>): Promise<Retried<Exchange | OpenAnswer>>;
  context: ErrorContext;
  clock: Clock;
  random: () => number;
  budget: RetryBudget;
  policy: RetryPolicy;
}

/** What was read of a page. */
type PageEnd = Pick<Page, 'envelope' | 'headers' | 'count'>;

/** In a row: a service may filter a page to nothing, but one that only ever promises more has no end. */
const MAX_EMPTY_PAGES = 3;

/** Every customer of the app in whatever way the service pages, one at a time. */
export async function* listObjects(
  tools: ListTools,
  params: Record<string, string>,
): AsyncGenerator<JsonObject> {
  let query = params;
  let listed = 0;
  let emptyPages = 0;
  let firstOfAll: { identity: string; onPage: number } | undefined;
  const seen = createCycleGuard();
  let skipped: number | undefined;
  const byHand = ['page', 'offset', 'skip', ...cursorParameters].some((name) => Object.hasOwn(params, name));

  for (let number = 1, probing = false; ; number += 1) {
    const page = readPage(tools, query);
    let end: PageEnd;
    let position = 0;
    let lastId: string | undefined;
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
      firstOfAll ??= { identity, onPage: number };
      // The second place too: a customer may have been added on top since.
      if (number > firstOfAll.onPage && position < 2 && identity === firstOfAll.identity) {
        await page.return({ envelope: null, headers: {}, count: 0 });
        if (probing) return;
        throw incomplete('it repeats the first page');
      }
      position += 1;
      if (typeof object.customerId === 'string') lastId = object.customerId;
      yield object;
    }
    listed += end.count;
    emptyPages = end.count === 0 ? emptyPages + 1 : 0;

    skipped ??= skippedBy(params, end.count);
    const next = nextPage({ ...end, query, passed: listed + skipped, lastId });
    if (next.kind === 'end') return;
    if (next.kind === 'lost') throw incomplete(next.why);
    if (next.kind === 'unsaid') {
      if (byHand || end.count === 0) return;
      probing = true;
      query = { ...params, page: String(number + 1) };
    } else {
      query = { ...params, ...next.query };
      if (!seen.add(JSON.stringify(next.query))) throw incomplete('it repeats a page');
      if (emptyPages === MAX_EMPTY_PAGES) throw onlyEmptyPages();
    }
  }
}

/** How many come before the first page, where the person began further on; a cursor does not say. */
function skippedBy(params: Record<string, string>, firstCount: number): number {
  if (cursorParameters.some((name) => Object.hasOwn(params, name))) return Infinity;
  const offset = Number(params['offset'] ?? params['skip'] ?? 0);
  const size = Number(params['pageSize'] ?? params['limit'] ?? firstCount);
  return offset + Math.max(0, Number(params['page'] ?? 1) - 1) * size;
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
      if (!splitter.hasList()) throw noList(envelope);
      return { envelope, headers: result.last.headers, count: seen };
    } catch (error) {
      if (!(error instanceof BodyLost)) throw error;
      const { failure: why } = error;
      if (why.permanent || tries >= tools.policy.attempts || !tools.budget.take()) {
        throw errorOf({ ...result, last: { kind: 'lost', failure: why } }, tools.context);
      }
      await tools.clock.sleep(backoffMs(tools.policy, tries, tools.random), tools.context.signal);
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

function incomplete(why: string, next = [paydesk('customers', 'list', '--param', 'page=2')]): ServiceError {
  return new ServiceError(`The list of customers cannot be read completely: ${why}.`, {
    code: 'list-incomplete',
    next,
  });
}

const onlyEmptyPages = (): ServiceError =>
  incomplete(`it answered with ${MAX_EMPTY_PAGES} empty pages in a row, and says that there are more`, [
    paydesk('api', 'GET', '/customers'),
  ]);

function noList(answer: JsonValue): ServiceError {
  const fields = isJsonObject(answer) ? Object.keys(answer).slice(0, 8).join(', ') : '';
  const what = fields === '' ? 'JSON without fields' : `JSON with the fields ${fields}`;
  return new ServiceError(
    `The service answered with ${what}, and paydesk finds no list of customers in it.`,
    {
      code: 'no-list',
      next: [paydesk('api', 'GET', '/customers')],
    },
  );
}

/** Notices a query that comes back, in constant memory (Brent): it is compared with one kept at powers of two. */
function createCycleGuard() {
  let kept: string | undefined;
  let steps = 0;
  let power = 1;
  return {
    add(query: string): boolean {
      if (query === kept) return false;
      steps += 1;
      if (steps === power) {
        kept = query;
        steps = 0;
        power *= 2;
      }
      return true;
    },
  };
}
