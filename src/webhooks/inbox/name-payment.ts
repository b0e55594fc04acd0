// Which payment a webhook speaks of. How the service says it is not specified, so every usual way is understood; what
// is found is only a name to read by, and never taken for the truth.

import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import {
  isJsonNumber,
  isJsonObject,
  type JsonNumber,
  type JsonValue,
  numberText,
  parseJson,
} from '../../contract/json.js';
import { stateNames, states } from '../../contract/states.js';
import { decodeUrlPart } from '../../decode-url-part.js';

type NamedBy = 'path' | 'query' | 'json' | 'form';

export interface Named {
  paymentId: string | null;
  referenceId: string | null;
  namedBy: NamedBy | null;
  /** The state that it claims, in its own words. */
  saidState: string | null;
  eventId: string | null;
}

export interface RequestParts {
  /** What came after the secret. */
  path: string;
  query: string;
  headers: ReadonlyArray<readonly [string, string]>;
  body: Uint8Array;
}

const PAYMENT_ID = new Set(['paymentid', 'paymentno', 'paymentnumber']);
const REFERENCE_ID = new Set([
  'referenceid',
  'reference',
  'paymentreference',
  'paymentreferenceid',
  'merchantreference',
  'merchantreferenceid',
]);
const STATE = new Set(['paymentstate', 'paymentstatus', 'newstate', 'state', 'status']);
const STATE_ID = new Set(['paymentstateid', 'stateid']);
const EVENT_ID = new Set(['eventid', 'webhookid', 'notificationid', 'messageid', 'deliveryid']);
const EVENT_HEADERS = new Set(['webhook-id', 'svix-id', 'x-event-id', 'x-webhook-id', 'x-notification-id']);

const MAX_DEPTH = 8;
const MAX_NODES = 5_000;
const MAX_ID_LENGTH = 255;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

export function namePayment(request: RequestParts): Named {
  const found = new Findings();
  found.fromPath(request.path);
  if (request.query !== '') found.fromPairs(new URLSearchParams(request.query), 'query');
  found.fromBody(request);
  for (const [name, value] of request.headers) {
    if (EVENT_HEADERS.has(name.toLowerCase())) found.eventId ??= identifier(value);
  }
  return found.result();
}

class Findings {
  paymentId: { value: string; by: NamedBy } | undefined;
  referenceId: { value: string; by: NamedBy } | undefined;
  saidState: string | undefined;
  eventId: string | undefined;
  #nodes = 0;

  result(): Named {
    return {
      paymentId: this.paymentId?.value ?? null,
      referenceId: this.referenceId?.value ?? null,
      namedBy: (this.paymentId ?? this.referenceId)?.by ?? null,
      saidState: this.saidState ?? null,
      eventId: this.eventId ?? null,
    };
  }

  /** A reference, as this desk puts it there; `id:` says that it is a paymentId. */
  fromPath(path: string): void {
    const [, prefix, name = ''] =
      /^(id:|ref:)?(.*)$/s.exec(decodeUrlPart(path).replaceAll(/^\/+|\/+$/g, '')) ?? [];
    if (prefix === 'id:') this.#payment(name, 'path');
    else this.#reference(name, 'path');
  }

  fromPairs(pairs: URLSearchParams, by: NamedBy): void {
    for (const [name, value] of pairs) {
      // `data[payment][paymentId]` and `payment.id` name the same as their last part does.
      const parts = name.split(/[[\].]+/).filter((part) => part !== '');
      const last = parts.at(-1) ?? '';
      const holder = simple(parts.at(-2) ?? '');
      this.#field(holder === 'payment' && last === 'id' ? 'paymentId' : last, value, by);
      if (by === 'form' && /^\s*[[{]/.test(value)) this.#json(parsed(value), by);
    }
  }

  fromBody({ headers, body }: RequestParts): void {
    const text = textOf(headers, body).trim();
    if (text === '') return;
    const value = parsed(text);
    if (value !== undefined) return this.#json(value, 'json');
    // Whatever its content type says: a browser or a script may have left it out.
    if (/^[\w%.[\]+-]{1,200}=/.test(text)) this.fromPairs(new URLSearchParams(text), 'form');
  }

  /** What stands higher goes before what stands deeper. */
  #json(root: JsonValue | undefined, by: NamedBy): void {
    if (root === undefined) return;
    if (isJsonNumber(root) || typeof root === 'string') return this.#payment(idText(root), by);
    let level: Array<{ value: JsonValue; key: string }> = [{ value: root, key: '' }];
    for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
      const deeper: typeof level = [];
      for (const { value, key } of level) {
        if ((this.#nodes += 1) > MAX_NODES) return;
        if (isJsonObject(value)) this.#object(value, key, by);
        const children = Array.isArray(value) ? value.map((child) => [key, child] as const) : [];
        if (isJsonObject(value)) children.push(...Object.entries(value));
        for (const [name, child] of children) {
          if (typeof child === 'object' && child !== null) deeper.push({ value: child, key: name });
          // JSON within JSON, as message queues wrap it.
          else if (typeof child === 'string' && /^\s*\{.*\}\s*$/s.test(child)) {
            const inner = parsed(child);
            if (inner !== undefined) deeper.push({ value: inner, key: name });
          }
        }
      }
      level = deeper;
    }
    // An envelope's own id is the event's, where it is not the payment's.
    const own = isJsonObject(root) && (isJsonNumber(root['id']) || typeof root['id'] === 'string');
    if (own) {
      const id = idText(root['id'] as string);
      if (id !== this.paymentId?.value) this.eventId ??= identifier(id);
    }
  }

  #object(value: Record<string, JsonValue>, key: string, by: NamedBy): void {
    const kind = value['object'] ?? value['resourceType'] ?? value['type'];
    const isPayment = simple(key) === 'payment' || (typeof kind === 'string' && simple(kind) === 'payment');
    for (const [name, child] of Object.entries(value)) {
      if (typeof child !== 'string' && !isJsonNumber(child)) continue;
      const text = idText(child);
      if (isPayment && name === 'id') this.#payment(text, by);
      else if (simple(name) === 'payment' && /^\d+$/.test(text)) this.#payment(text, by);
      else this.#field(name, text, by);
    }
  }

  #field(name: string, value: string, by: NamedBy): void {
    const plain = simple(name);
    if (PAYMENT_ID.has(plain)) this.#payment(value, by);
    else if (REFERENCE_ID.has(plain)) this.#reference(value, by);
    else if (EVENT_ID.has(plain)) this.eventId ??= identifier(value);
    else if (STATE.has(plain)) this.saidState ??= identifier(value);
    else if (STATE_ID.has(plain))
      this.saidState ??= stateNames.find((state) => String(states[state].id) === value);
  }

  #payment(value: string, by: NamedBy): void {
    if (/^\d{1,40}$/.test(value)) this.paymentId ??= { value, by };
  }

  #reference(value: string, by: NamedBy): void {
    const reference = identifier(value);
    if (reference !== undefined) this.referenceId ??= { value: reference, by };
  }
}

/** Webhooks of one service have the same few names again and again. */
const simpleNames = new Map<string, string>();
const MAX_SIMPLE_NAMES = 1_000;

function simple(name: string): string {
  const known = simpleNames.get(name);
  if (known !== undefined) return known;
  const made = name.toLowerCase().replaceAll(/[_\-\s]/g, '');
  if (name.length <= MAX_ID_LENGTH && simpleNames.size < MAX_SIMPLE_NAMES) simpleNames.set(name, made);
  return made;
}

const idText = (value: string | JsonNumber): string =>
  (isJsonNumber(value) ? numberText(value) : value).trim();

/** What no database keeps exactly names nothing: with a character replaced, it could name another payment. */
function identifier(value: string): string | undefined {
  const isKept = value.length <= MAX_ID_LENGTH && !value.includes('\0') && value.isWellFormed();
  return value === '' || !isKept ? undefined : value;
}

/** What cannot be parsed, or is nested too deeply, is not JSON for us. */
function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder();

const expand: Readonly<Record<string, (body: Uint8Array) => Uint8Array>> = {
  gzip: (body) => gunzipSync(body, { maxOutputLength: MAX_TEXT_BYTES }),
  'x-gzip': (body) => gunzipSync(body, { maxOutputLength: MAX_TEXT_BYTES }),
  deflate: (body) => inflateSync(body, { maxOutputLength: MAX_TEXT_BYTES }),
  br: (body) => brotliDecompressSync(body, { maxOutputLength: MAX_TEXT_BYTES }),
};

function textOf(headers: RequestParts['headers'], body: Uint8Array): string {
  const encoding = headers.find(([name]) => name.toLowerCase() === 'content-encoding')?.[1].toLowerCase();
  try {
    const bytes = expand[encoding ?? '']?.(body) ?? body;
    const wide = bytes[0] === 0xff && bytes[1] === 0xfe;
    return (wide ? new TextDecoder('utf-16le') : utf8).decode(bytes);
  } catch {
    return '';
  }
}
