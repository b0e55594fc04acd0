// A kept delivery in full: the request as it came, what the service said, and every attempt to pass it on.

import { counted } from '../../contract/amount-format.js';
import { createScrubber, REDACTED } from '../../redact.js';
import type { WholeDelivery } from '../../webhooks/inbox/inbox.js';
import { WEBHOOK_PATH } from '../../webhooks/webhook-path.js';
import { joinPieces, type Line, type ViewContext, toned, type View } from '../lines.js';
import { localTime, tookTime } from '../time.js';
import { changeLine, forwardJson, keptJson } from './webhook.js';

interface ShownRequest extends WholeDelivery {
  /** Taken out wherever it appears. */
  secret: string;
}

const MAX_BODY_SHOWN = 16 * 1024;
const HEX_ROW = 16;

/** The text of a body, or undefined when it is no text. */
function bodyText(body: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return /[^\P{Cc}\t\n\r]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Bytes in rows: where they are, what they are, and as letters. */
function hexRows(body: Uint8Array): string[] {
  return Array.from({ length: Math.ceil(body.length / HEX_ROW) }, (_, row) => {
    const bytes = [...body.subarray(row * HEX_ROW, (row + 1) * HEX_ROW)];
    const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
    const at = (row * HEX_ROW).toString(16).padStart(6, '0');
    return `${at}  ${hex.padEnd(HEX_ROW * 3 - 1)}  ${letters.join('')}`;
  });
}

function bodyLines(body: Uint8Array, secret: string): Line[] {
  if (body.length === 0) return [toned('dim', '(no body)')];
  const start = body.subarray(0, MAX_BODY_SHOWN);
  // Cut between two characters, not within one.
  const text = bodyText(body) === undefined ? undefined : new TextDecoder().decode(start);
  const lines: Line[] = text === undefined ? hexRows(start) : createScrubber(secret)(text).split(/\r?\n/);
  if (body.length > MAX_BODY_SHOWN) lines.push(toned('dim', `… ${counted(body.length, 'byte')} in all`));
  return lines;
}

/** `POST /wh/[redacted]/inv-1?a=b`, the headers and the body. */
export function requestLines(delivery: ShownRequest): Line[] {
  const { method, path, query, headers, body, secret } = delivery;
  const hide = createScrubber(secret);
  const target = `${WEBHOOK_PATH}${REDACTED}${path}${query === '' ? '' : `?${query}`}`;
  return [
    `${method} ${hide(target)}`,
    ...headers.map(([name, value]) => joinPieces(toned('dim', `${name}: `), hide(value))),
    '',
    ...bodyLines(body, secret),
  ];
}

const indented = (lines: readonly Line[]): Line[] => lines.map((line) => joinPieces('  ', line));

function attemptLines(delivery: WholeDelivery, context: ViewContext): Line[] {
  return delivery.forwards.flatMap(({ to, replay, chaos, outcome, tries }) => {
    const how = [replay ? 'replay' : '', chaos ?? '', outcome].filter((part) => part !== '').join(', ');
    return [
      joinPieces(to, toned('dim', `  (${how})`)),
      ...tries.map(({ time, status, ms, answer, error }) =>
        joinPieces(
          `  ${timeText(time, context)}  `,
          status === null
            ? toned('bad', error ?? 'no answer')
            : toned(status < 300 ? 'good' : 'bad', String(status)),
          `  ${tookTime(ms)}`,
          toned('dim', answer === null || answer === '' ? '' : `  ${oneLine(answer)}`),
        ),
      ),
    ];
  });
}

const timeText = (time: number, { terminal }: ViewContext): string =>
  terminal ? localTime(new Date(time)) : new Date(time).toISOString();

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim().slice(0, 120);

export const webhookRequest: View<ShownRequest> = (delivery, context) => {
  const { id, time, kind, paymentId, referenceId, namedBy, saidState, verdict, why, readTime } = delivery;
  const names = [paymentId, referenceId].filter((name) => name !== null).join('   ');
  const fact = (label: string, value: Line): Line[] => [
    joinPieces('  ', toned('dim', label.padEnd(11)), '  ', value),
  ];
  const forwards = attemptLines(delivery, context);
  return [
    toned('strong', `Webhook ${id}`),
    ...fact('Came', joinPieces(timeText(time, context), kind === 'synthetic' ? '  (made by this desk)' : '')),
    ...fact(
      'Payment',
      names === ''
        ? toned('dim', 'none is named')
        : joinPieces(names, namedBy === null ? '' : `  (${namedBy})`),
    ),
    ...(saidState === null ? [] : fact('It says', saidState)),
    ...fact('Service', changeLine(delivery)),
    ...(readTime === null ? [] : fact('Read', timeText(readTime, context))),
    ...(verdict === null ? [] : fact('Verdict', verdict)),
    ...(why === null ? [] : fact('Why', why)),
    '',
    toned('dim', 'Request'),
    ...indented(requestLines(delivery)),
    '',
    toned('dim', 'Forwards'),
    ...indented(forwards.length === 0 ? [toned('dim', 'none')] : forwards),
  ];
};

export function requestJson(delivery: ShownRequest): Record<string, unknown> {
  const { method, path, query, headers, body, secret, eventId } = delivery;
  const text = bodyText(body);
  const hide = createScrubber(secret);
  return {
    ...keptJson(delivery),
    eventId,
    method,
    path: hide(path),
    query: hide(query),
    headers: headers.map(([name, value]) => [name, hide(value)]),
    // What is no text is given byte for byte.
    ...(text === undefined ? { bodyBase64: Buffer.from(body).toString('base64') } : { body: hide(text) }),
    forwards: delivery.forwards.map(({ tries, ...forward }) => ({
      ...forwardJson(forward),
      tries: tries.map(({ time, status, ms, answer, error }) => ({
        time: new Date(time).toISOString(),
        status,
        ms,
        answer,
        error,
      })),
    })),
  };
}
