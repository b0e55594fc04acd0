/**
 * How a call may be repeated when its answer was lost:
 * `read` and `repeatable` freely, `keyed` with the same key, `settle` never by itself.
 */
export type RepeatClass = 'read' | 'keyed' | 'settle' | 'repeatable';

interface Endpoint {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/apps/{appId}`. */
  path: string;
  summary: string;
  /** What the sandbox answers with; the client takes any 2xx. */
  success: number;
  repeat: RepeatClass;
  /** The field of a keyed call's body that it is known by. */
  key?: 'referenceId' | 'customerId';
}

/** What every path of the service begins with. */
export const APPS_PATH = '/api/apps/';
export const APP_PATH = `${APPS_PATH}{appId}`;

const endpoints = {
  createHostedPayment: {
    method: 'POST',
    path: '/payments/hosted-page',
    summary: 'Create a payment and get the address of its hosted checkout',
    success: 201,
    repeat: 'keyed',
    key: 'referenceId',
  },
  createPayment: {
    method: 'POST',
    path: '/payments',
    summary: 'Create a plain payment',
    success: 201,
    repeat: 'keyed',
    key: 'referenceId',
  },
  createProviderHostedPayment: {
    method: 'POST',
    path: '/payments/provider-hosted-page',
    summary: "Create a payment on a provider's own hosted page",
    success: 201,
    repeat: 'keyed',
    key: 'referenceId',
  },
  capturePayment: {
    method: 'POST',
    path: '/payments/{paymentId}/capture',
    summary: 'Capture an authorised payment',
    success: 200,
    repeat: 'settle',
  },
  cancelPayment: {
    method: 'POST',
    path: '/payments/{paymentId}/cancel',
    summary: 'Cancel a payment that is not captured',
    success: 200,
    repeat: 'settle',
  },
  refundPayment: {
    method: 'POST',
    path: '/payments/{paymentId}/refund',
    summary: 'Refund a captured payment',
    success: 200,
    repeat: 'settle',
  },
  unholdPayment: {
    method: 'POST',
    path: '/payments/{paymentId}/unhold',
    summary: 'Approve a payment that a fraud rule holds',
    success: 200,
    repeat: 'settle',
  },
  recheckPayment: {
    method: 'POST',
    path: '/payments/{paymentId}/recheck',
    summary: 'Ask the provider again when the state may be stale',
    success: 200,
    repeat: 'repeatable',
  },
  getPaymentByReference: {
    method: 'GET',
    path: '/payments/referenceId:{referenceId}',
    summary: 'Read a payment by the merchant’s reference',
    success: 200,
    repeat: 'read',
  },
  getPayment: {
    method: 'GET',
    path: '/payments/{paymentId}',
    summary: 'Read a payment',
    success: 200,
    repeat: 'read',
  },
  createAutoPayment: {
    method: 'POST',
    path: '/payments/auto-payment',
    summary: 'Charge a stored method of a customer who is not present',
    success: 200,
    repeat: 'keyed',
    key: 'referenceId',
  },
  createCustomer: {
    method: 'POST',
    path: '/customers',
    summary: 'Create a customer',
    success: 201,
    repeat: 'keyed',
    key: 'customerId',
  },
  getCustomer: {
    method: 'GET',
    path: '/customers/{customerId}',
    summary: 'Read a customer',
    success: 200,
    repeat: 'read',
  },
  listCustomers: {
    method: 'GET',
    path: '/customers',
    summary: 'List the customers of the app',
    success: 200,
    repeat: 'read',
  },
  updateCustomer: {
    method: 'PATCH',
    path: '/customers/{customerId}',
    summary: 'Update name, e-mail or phone of a customer',
    success: 200,
    repeat: 'repeatable',
  },
  listPaymentMethods: {
    method: 'GET',
    path: '/customers/{customerId}/payment-methods',
    summary: 'List stored methods available for auto payments',
    success: 200,
    repeat: 'read',
  },
  removePaymentMethod: {
    method: 'DELETE',
    path: '/customers/{customerId}/payment-methods/{paymentMethodId}',
    summary: 'Remove a stored method',
    success: 204,
    repeat: 'repeatable',
  },
  stopAutoPayment: {
    method: 'DELETE',
    path: '/customers/{customerId}/auto-payments/{customerAutomaticProfileId}',
    summary: 'Stop an auto-payment registration',
    success: 204,
    repeat: 'repeatable',
  },
  getPanelLink: {
    method: 'GET',
    path: '/customers/{customerId}/panel-link',
    summary: "Get a signed link to the customer's own panel",
    success: 200,
    repeat: 'read',
  },
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
export const endpointNames = Object.keys(endpoints) as EndpointName[];

/** The names of the `{…}` parts of a path, as a type. */
export type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The values in the path of each endpoint, below its app. */
export type PathParameters = {
  [Name in EndpointName]: Record<NamesIn<Endpoints[Name]['path']>, string>;
};

/** An endpoint with the values that were found in its path. */
export type EndpointMatch<Name extends EndpointName = EndpointName> = {
  [Each in Name]: { name: Each; parameters: PathParameters[Each] };
}[Name];

export function endpointOf(name: EndpointName): Endpoint {
  return endpoints[name];
}

/** The names of the `{…}` parts of a path. */
export function pathParameters(path: string): string[] {
  return Array.from(path.matchAll(/\{(\w+)\}/g), (match) => match[1] as string);
}

/** Every path cut at its braces: a literal piece, the name of a value, a literal piece and so on. */
const pathPieces = Object.fromEntries(
  endpointNames.map((name) => [name, (APP_PATH + endpoints[name].path).split(/[{}]/)]),
) as Record<EndpointName, string[]>;

/** Path and query of a call, below the base URL. */
export function pathOf<Name extends EndpointName>(
  name: Name,
  parameters: PathParameters[Name] & { appId: string },
  query?: Readonly<Record<string, string | number | undefined>>,
): string {
  const values: Readonly<Record<string, string>> = parameters;
  let path = '';
  for (const [at, piece] of pathPieces[name].entries()) {
    const value = at % 2 === 0 ? piece : values[piece];
    if (value === undefined) throw new TypeError(`${name} needs ${piece}`);
    path += at % 2 === 0 ? piece : encodeURIComponent(value);
  }
  if (query === undefined) return path;
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value));
  return search.size > 0 ? `${path}?${search.toString()}` : path;
}

/**
 * Which endpoint a method and path (below `/api/apps/{appId}`) belong to. More literal paths win, so that
 * `/payments/hosted-page` is not taken for a payment id.
 */
export function matchEndpoint(
  method: string,
  path: string,
): EndpointMatch | { allowed: string[] } | undefined {
  matchers ??= makeMatchers();
  for (const matcher of matchers) {
    if (matcher.method !== method || !path.startsWith(matcher.start)) continue;
    const match = matcher.pattern.exec(path);
    if (!match) continue;
    const { name, keys } = matcher;
    const parameters: Record<string, string> = {};
    for (let index = 0; index < keys.length; index += 1) {
      const decoded = decode(match[index + 1] as string);
      if (decoded === undefined) return undefined;
      parameters[keys[index] as string] = decoded;
    }
    return { name, parameters };
  }
  const others = matchers.filter(({ pattern }) => pattern.test(path));
  const allowed = new Set(others.map((other) => other.method));
  return allowed.size > 0 ? { allowed: [...allowed] } : undefined;
}

/** Those who send requests need none. */
let matchers: ReturnType<typeof makeMatchers> | undefined;

function makeMatchers() {
  return endpointNames
    .map((name) => {
      const { method, path } = endpoints[name];
      const keys = pathParameters(path);
      const [start] = path.split(/[{:]/, 1);
      // What fills in a path by a template encodes the colon too.
      const literal = path.replace(':', '(?::|%3[Aa])');
      const pattern = new RegExp(
        `^${literal.replaceAll(/\{(\w+)\}/g, (_, key) => (key === 'referenceId' ? '(.+)' : '([^/]+)'))}$`,
      );
      return {
        name,
        method,
        keys,
        // Told apart from most others without the pattern.
        start: start as string,
        pattern,
        literal: path.replaceAll(/\{\w+\}/g, '').length,
      };
    })
    .sort((a, b) => a.keys.length - b.keys.length || b.literal - a.literal);
}

function decode(part: string): string | undefined {
  // Nearly every one.
  if (/^[\w.~-]*$/.test(part)) return part;
  try {
    const text = decodeURIComponent(part);
    // As in a body: however it is typed, it is one reference.
    return text.includes('\0') ? undefined : text.normalize('NFC');
  } catch {
    return undefined;
  }
}
