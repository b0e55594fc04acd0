// Where deliveries are passed on to, and which: what is typed after --forward-to.

import { hostname } from 'node:os';
import { isLoopbackHost } from '../../loopback.js';
import { parsePayment, type NamedPayment } from '../../payments/named-payments.js';
import { BadValue } from '../../typed-values.js';

export interface Filter {
  states: string[];
  payments: NamedPayment[];
  /** What came after the secret begins with one of these. */
  paths: string[];
}

export interface Header {
  name: string;
  value: string;
}

export interface Target {
  url: string;
  /** Who may send what waits for this target. */
  key: string;
  headers: Header[];
  /** Of its certificate. */
  skipVerify: boolean;
  filter: Filter;
}

/** What a filter looks at. */
interface FilteredFacts {
  path: string;
  paymentId: string | null;
  referenceId: string | null;
  /** What the service showed. */
  state: string | null;
}

/**
 * `URL [state=A,B] [payment=P,…] [path=/prefix] [header=Name:value] [skip-verify]`, with spaces between them.
 */
export function parseTarget(text: string): Target {
  const [address = '', ...settings] = text.trim().split(/\s+/);
  const target: Target = {
    url: parseAddress(address),
    key: '',
    headers: [],
    skipVerify: false,
    filter: { states: [], payments: [], paths: [] },
  };
  for (const setting of settings) applySetting(target, setting);
  return { ...target, key: keyOf(target.url, settings) };
}

/** A web address; http is taken for granted on this machine alone. */
function parseAddress(text: string): string {
  const host = /^(\[[0-9a-f:]+\]|[^/:?#]+)(:\d+)?([/?#]|$)/i.exec(text)?.[1];
  const bare = host !== undefined && !/^https?:\/\//i.test(text);
  const whole = bare && isLoopbackHost(host.toLowerCase()) ? `http://${text}` : text;
  const url = URL.canParse(whole) ? new URL(whole) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new BadValue(
      bare && /\./.test(host)
        ? `add the scheme: https://${text}`
        : 'a web address, for example localhost:3000/hooks',
    );
  }
  if (url.username !== '' || url.password !== '') throw new BadValue('remove the user name and password');
  url.hash = '';
  return url.href;
}

function applySetting(target: Target, setting: string): void {
  const [, name = setting, value = ''] = /^([a-z-]+)=(.*)$/s.exec(setting) ?? [];
  const several = value.split(',').filter((part) => part !== '');
  if (name === 'skip-verify' && value === '') target.skipVerify = true;
  else if (name === 'header') target.headers.push(parseHeader(value));
  else if (several.length === 0) throw unknownSetting(setting);
  else if (name === 'state') target.filter.states.push(...several);
  else if (name === 'payment') target.filter.payments.push(...several.map(parsePayment));
  else if (name === 'path') target.filter.paths.push(...several.map(withSlash));
  else throw unknownSetting(setting);
}

const withSlash = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

const unknownSetting = (setting: string): BadValue =>
  new BadValue(
    `${setting} is not a setting; after the address use state=A,B payment=P path=/prefix header=Name:value skip-verify`,
  );

/** Headers that the sender sets itself. */
const RESERVED = /^(host|content-length|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect)$/i;

export function parseHeader(text: string): Header {
  const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/s.exec(text) ?? [];
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) throw new BadValue('Name:value, for example X-Env:test');
  if (/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
    throw new BadValue(`the value of ${name} cannot be sent`);
  if (RESERVED.test(name)) throw new BadValue(`${name} is set by paydesk itself`);
  return { name, value };
}

/** The same address on another machine is another program, where it is a loopback address. */
function keyOf(url: string, settings: readonly string[]): string {
  const filters = settings.filter((setting) => /^(state|payment|path)=/.test(setting)).toSorted();
  const place = isLoopbackHost(new URL(url).hostname) ? [hostname()] : [];
  return [...place, url, ...filters].join(' ');
}

/** Whether it takes a read of the payment to tell what passes. */
export const needsRead = ({ states, payments }: Filter): boolean => states.length + payments.length > 0;

export function passes(filter: Filter, facts: FilteredFacts): boolean {
  const { states, payments } = filter;
  const { state } = facts;
  return (
    hasPath(filter, facts) &&
    (states.length === 0 || (state !== null && states.includes(state))) &&
    (payments.length === 0 || payments.some((payment) => isNamed(payment, facts)))
  );
}

/** Whether a delivery whose payment was not read would pass with some state, and with names that it lacks. */
export function mayPass(filter: Filter, facts: Omit<FilteredFacts, 'state'>): boolean {
  const { payments } = filter;
  return (
    hasPath(filter, facts) &&
    (payments.length === 0 ||
      payments.some((payment) => isNamed(payment, facts) || mayBeNamed(payment, facts)))
  );
}

const hasPath = ({ paths }: Filter, { path }: Pick<FilteredFacts, 'path'>): boolean =>
  paths.length === 0 || paths.some((prefix) => path.startsWith(prefix));

type Names = Pick<FilteredFacts, 'paymentId' | 'referenceId'>;

/** All digits name a payment by its id or by its reference. */
function isNamed({ key, mayBeReference }: NamedPayment, { paymentId, referenceId }: Names): boolean {
  if ('referenceId' in key) return key.referenceId === referenceId;
  return key.paymentId === paymentId || (mayBeReference === true && key.paymentId === referenceId);
}

function mayBeNamed({ key, mayBeReference }: NamedPayment, { paymentId, referenceId }: Names): boolean {
  if ('referenceId' in key) return referenceId === null;
  return paymentId === null || (mayBeReference === true && referenceId === null);
}
