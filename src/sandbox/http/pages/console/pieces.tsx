// Small parts that several pages of the console share.

import type { Child } from 'hono/jsx';
import { counted } from '../../../../contract/amount-format.js';
import { MAX_COUNT } from '../../../console/ranges.js';
import { timeText } from '../../../console/texts.js';

export interface SelectProps {
  id: string;
  name?: string;
  label: string;
  options: ReadonlyArray<readonly [value: string, text: string]>;
  chosen?: string | undefined;
}

export function Select({ id, name = id, label, options, chosen }: SelectProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([value, text]) => (
          <option value={value} {...(value === chosen && { selected: true })}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** `1 payment`, `36 payments`, `More than 200 payments`; nothing where only a part was looked at. */
export function Count({ total, one }: { total: number | undefined; one: string }) {
  if (total === undefined) return null;
  const text = total > MAX_COUNT ? `More than ${counted(MAX_COUNT, one)}` : counted(total, one);
  return <p class="muted small count">{text}</p>;
}

interface PagerProps {
  path: string;
  query: Readonly<Record<string, string | undefined>>;
  next: string | undefined;
  isFirst: boolean;
  older: string;
  first: string;
}

/** To the next page, and back to the first; nothing when there is only one. */
export function Pager({ path, query, next, isFirst, older, first }: PagerProps) {
  if (next === undefined && isFirst) return null;
  return (
    <nav class="row" aria-label="Pages">
      {!isFirst && (
        <a class="button" href={withQuery(path, query)}>
          {first}
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={withQuery(path, { ...query, key: next })} rel="next">
          {older}
        </a>
      )}
    </nav>
  );
}

export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

export function Time({ at }: { at: number }) {
  return (
    <time class="num" datetime={new Date(at).toISOString()}>
      {timeText(at)}
    </time>
  );
}

export function Fact({ name, children }: { name: string; children?: Child }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
