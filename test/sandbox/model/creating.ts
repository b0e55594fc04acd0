import type { Answered, Outcome } from './http.js';
import { must } from './invariants.js';
import { paidPaths, profiles, type Known, type StoredMethod } from './model.js';
import type { Desk, Entry, Fate } from './desk.js';
import { circumstancesOf, verdictFor } from './play.js';
import type { CreateStep, Spoil, Step } from './steps.js';

// Steps that make payments, customers and charges, also twice, also wrongly.

const paths = {
  hosted: '/payments/hosted-page',
  plain: '/payments',
  provider: '/payments/provider-hosted-page',
};

type Body = Record<string, unknown>;

const spoilers: Readonly<Record<Spoil, (body: Body) => void>> = {
  zero: (body) => (body['amount'] = 0),
  negative: (body) => (body['amount'] = -5),
  'three-decimals': (body) => (body['amount'] = 1.005),
  'text-amount': (body) => (body['amount'] = '10.00'),
  'no-customer': (body) => (body['customerOrder'] = { customer: {} }),
  currency: (body) => (body['currency'] = 'ZZZ'),
  'unknown-field': (body) => (body['tip'] = 1),
  'no-capture-flag': (body) => delete body['autoCapture'],
  policy: (body) => (body['fraudPolicyId'] = 999_999),
};

const nameOf = (customer: number) => `c-${customer}`;

function bodyOf(desk: Desk, step: CreateStep, reference: string): Body {
  const { profileIds, policyIds, receiver } = desk.world;
  return {
    referenceId: reference,
    amount: step.amount,
    currency: 'EUR',
    autoCapture: step.autoCapture,
    registerAutoPayment: step.registers,
    customerOrder: { customer: { customerId: nameOf(step.customer) } },
    ...(step.ownWebhook && { webhookUrl: `${receiver.url}own` }),
    ...(step.policy !== undefined && { fraudPolicyId: policyIds[step.policy] }),
    ...(step.flow !== 'plain' && { returnUrl: 'https://shop.example/done' }),
    ...(step.flow === 'provider' && { paymentProfileId: profileIds[step.profile] }),
    ...(step.flow === 'hosted' && {
      showPayRecurringInCheckout: step.offersSaving,
      ...(step.profiles && { paymentProfiles: step.profiles.map((index) => profileIds[index]) }),
      ...(step.methods && { checkoutMethods: step.methods }),
      ...(step.expiresIn !== undefined && {
        expirationTime: new Date(desk.now + step.expiresIn).toISOString(),
      }),
    }),
  };
}

function knownOf(desk: Desk, step: CreateStep, reference: string): Known {
  const hosted = step.flow === 'hosted';
  const offered = profiles.flatMap((profile, index) => {
    const isOffered =
      profile.active &&
      (step.flow !== 'provider' || index === step.profile) &&
      (!hosted || step.profiles === undefined || step.profiles.includes(index)) &&
      (!hosted || step.methods === undefined || step.methods.includes(profile.method));
    return isOffered ? [index] : [];
  });
  return {
    flow: step.flow,
    reference,
    customer: nameOf(step.customer),
    amount: step.amount,
    autoCapture: step.autoCapture,
    registers: step.registers,
    offersSaving: hosted && step.offersSaving,
    ...(hosted && step.expiresIn !== undefined && { expires: desk.now + step.expiresIn }),
    ...(step.policy !== undefined && { policy: step.policy }),
    offered,
    card: 'approved',
    ...(step.flow === 'provider' && { profile: step.profile }),
    saves: step.registers,
  };
}

/** Whether a create left a payment, and that it may have. */
function checkCreated(fate: Fate, isThere: boolean, valid: boolean, outcome: Outcome): void {
  const says = outcome === 'lost' ? 'lost' : `${outcome.status} ${JSON.stringify(outcome.body)}`;
  must(fate !== 'accepted' || valid, `a request that is not valid was accepted: ${says}`);
  must(fate !== 'refused' || !valid, `a valid request was refused: ${says}`);
  must(!isThere || (valid && fate !== 'untouched'), `a payment is there that was never created: ${says}`);
  must(
    isThere || !valid || fate === 'untouched' || fate === 'unclear',
    `an accepted payment is not there: ${says}`,
  );
}

export async function create(desk: Desk, step: CreateStep): Promise<void> {
  const reference = desk.nextReference();
  const body = bodyOf(desk, step, reference);
  if (step.spoil) spoilers[step.spoil](body);
  const { outcome, fate } = await desk.call('POST', paths[step.flow], 'create', body);
  await desk.advance(0);
  const story = await desk.find(`ref:${reference}`);
  checkCreated(fate, story !== undefined, step.spoil === undefined, outcome);
  if (fate === 'accepted') checkAnswer(outcome as Answered, 201, body);
  if (!story) return;
  const known = knownOf(desk, step, reference);
  noteCustomer(desk, known.customer);
  await desk.add({ known, request: { path: paths[step.flow], body } }, story, [['Created']]);
}

function checkAnswer({ status, body }: Answered, expected: number, request: Body): void {
  const payment = body as Body;
  must(status === expected, `a new payment was answered with ${status}`);
  for (const field of ['referenceId', 'amount', 'autoCapture'])
    must(payment[field] === request[field], `${field} came back as ${String(payment[field])}`);
}

function noteCustomer(desk: Desk, customer: string): void {
  if (!desk.policyOfCustomer.has(customer)) desk.policyOfCustomer.set(customer, undefined);
}

/** The same reference once more, with the same request or another one. */
export async function again(desk: Desk, entry: Entry, differs: boolean): Promise<void> {
  const { path, body } = entry.request;
  const amount = Number((Number(body['amount']) - 0.01).toFixed(2)) || 5;
  const route = entry.known.flow === 'charge' ? 'charge' : 'create';
  const { outcome, fate } = await desk.call('POST', path, route, differs ? { ...body, amount } : body);
  await desk.advance(0);
  // A link whose end has passed is not valid any more, and that is looked at first.
  const isLate = entry.known.expires !== undefined && entry.known.expires <= desk.now;
  if (fate === 'accepted') {
    const { status, body: payment } = outcome as Answered;
    must(!differs, 'another request with the same reference was accepted', entry.story);
    must(status === 200, `a repeated request was answered with ${status}`, entry.story);
    const { paymentId } = payment as { paymentId: number };
    must(paymentId === entry.story.payment.paymentId, 'a repeated request made another payment', entry.story);
  }
  if (fate === 'refused') {
    const { status } = outcome as Answered;
    must(
      isLate ? status === 400 || status === 409 : differs && status === 409,
      `repeated: ${status}`,
      entry.story,
    );
  }
  await desk.absorb(entry, [[]]);
}

/** The same new payment from many sides at once. */
export async function flood(desk: Desk, step: Extract<Step, { do: 'flood' }>): Promise<void> {
  const reference = desk.nextReference();
  const create: CreateStep = {
    do: 'create',
    flow: 'plain',
    customer: 0,
    amount: step.amount,
    autoCapture: false,
    registers: false,
    offersSaving: false,
    ownWebhook: false,
    profile: 0,
  };
  const body = bodyOf(desk, create, reference);
  const outcomes = await Promise.all(
    Array.from({ length: step.count }, () => desk.world.api('POST', paths.plain, body)),
  );
  const fates = outcomes.map((outcome) => desk.fateOf(outcome, 'create'));
  await desk.advance(0);
  must(!fates.includes('refused'), 'one of several equal creates was refused');
  const answered = outcomes.filter((_, index) => fates[index] === 'accepted') as Answered[];
  const ids = new Set(answered.map(({ body: payment }) => (payment as { paymentId: number }).paymentId));
  must(ids.size <= 1, `equal creates made ${ids.size} payments`);
  must(
    answered.filter(({ status }) => status === 201).length <= 1,
    'more than one was told it made the payment',
  );
  const story = await desk.find(`ref:${reference}`);
  must(
    story !== undefined || fates.every((fate) => fate === 'untouched' || fate === 'unclear'),
    'an accepted payment is not there',
  );
  if (!story) return;
  const known = knownOf(desk, create, reference);
  noteCustomer(desk, known.customer);
  await desk.add({ known, request: { path: paths.plain, body } }, story, [['Created']]);
}

type ChargeStep = Extract<Step, { do: 'charge' }>;

export async function charge(desk: Desk, step: ChargeStep): Promise<void> {
  const reference = desk.nextReference();
  const name = nameOf(step.customer);
  const list = desk.methods.get(name) ?? [];
  const named = step.method === undefined ? undefined : list[step.method % list.length];
  const method = chooseMethod(list, step, named);
  const { profileIds, policyIds } = desk.world;
  const body: Body = {
    referenceId: reference,
    amount: step.amount,
    autoCapture: step.autoCapture,
    customerOrder: { customer: { customerId: name } },
    ...(step.method !== undefined && { paymentMethodId: named?.id ?? 999_999 }),
    ...(step.profile !== undefined && { paymentMethodProviderProfileId: profileIds[step.profile] }),
    ...(step.policy !== undefined && { fraudPolicyId: policyIds[step.policy] }),
  };
  const path = '/payments/auto-payment';
  const { outcome, fate } = await desk.call('POST', path, 'charge', body);
  await desk.advance(0);
  const story = await desk.find(`ref:${reference}`);
  checkCreated(fate, story !== undefined, method !== undefined, outcome);
  if (fate === 'accepted') checkAnswer(outcome as Answered, 200, body);
  if (!story || !method) return;
  const known: Known = {
    flow: 'charge',
    reference,
    customer: name,
    amount: step.amount,
    autoCapture: step.autoCapture,
    registers: false,
    offersSaving: false,
    ...(step.policy !== undefined && { policy: step.policy }),
    offered: [],
    card: method.card,
    profile: step.profile ?? method.profile,
    saves: false,
    method,
  };
  const expected = paidPaths(known, verdictFor(desk, known), circumstancesOf(desk));
  const entry = { known, request: { path, body } };
  await desk.add(
    entry,
    story,
    expected.map((states) => ['Created', ...states]),
  );
}

function chooseMethod(
  list: StoredMethod[],
  step: ChargeStep,
  named: StoredMethod | undefined,
): StoredMethod | undefined {
  if (step.profile !== undefined && !profiles[step.profile]?.active) return undefined;
  const active = list.filter((method) => method.active && !method.removed);
  if (step.method !== undefined) return named && active.find((method) => method.id === named.id);
  const ofProfile = active.filter((method) => method.profile === step.profile);
  return (ofProfile.length > 0 ? ofProfile : active).at(-1);
}

export async function endMethod(desk: Desk, step: Extract<Step, { do: 'end-method' }>): Promise<void> {
  const name = nameOf(step.customer);
  const list = desk.methods.get(name) ?? [];
  const method = list[step.pick % list.length];
  if (!method) return;
  const removes = step.how === 'remove';
  const fits = !method.removed && (removes || method.active);
  const { body } = await desk.read(`/customers/${name}/payment-methods`);
  const shown = (body as Array<{ paymentMethodId: number; customerAutomaticProfileId: number }>).find(
    ({ paymentMethodId }) => paymentMethodId === method.id,
  );
  const id = removes ? method.id : (shown?.customerAutomaticProfileId ?? 1);
  await desk.look();
  const outcome = await desk.world.api(
    'DELETE',
    `/customers/${name}/${removes ? 'payment-methods' : 'auto-payments'}/${id}`,
  );
  const fate = desk.fateOf(outcome, 'end-method');
  must(fate !== 'accepted' || fits, `${step.how} of method ${method.id} was accepted`);
  must(fate !== 'refused' || !fits, `${step.how} of method ${method.id} was refused`);
  if (!fits || fate === 'untouched') return desk.refreshMethods(name);
  if (fate === 'unclear') {
    const after = (await desk.read(`/customers/${name}/payment-methods`)).body as Array<{
      paymentMethodId: number;
      isActive: boolean;
    }>;
    const left = after.find(({ paymentMethodId }) => paymentMethodId === method.id);
    if (left?.isActive) return;
  }
  method.active = false;
  method.removed ||= removes;
  await desk.refreshMethods(name);
}

export async function customer(desk: Desk, step: Extract<Step, { do: 'customer' }>): Promise<void> {
  const name = nameOf(step.customer);
  const { policyIds } = desk.world;
  const exists = desk.policyOfCustomer.has(name);
  const fits = !exists || desk.policyOfCustomer.get(name) === step.policy;
  const outcome = await desk.world.api('POST', '/customers', {
    customerId: name,
    ...(step.policy !== undefined && { fraudPolicyId: policyIds[step.policy] }),
  });
  const fate = desk.fateOf(outcome, 'customer');
  must(fate !== 'accepted' || fits, `a customer that differs was accepted`);
  must(fate !== 'refused' || !fits, `a customer was refused`);
  if (exists) return;
  const { status } = await desk.read(`/customers/${name}`);
  const isThere = status === 200;
  must(isThere || fate === 'untouched' || fate === 'unclear', 'an accepted customer is not there');
  must(!isThere || fate !== 'untouched', 'a customer is there that was never created');
  if (isThere) desk.policyOfCustomer.set(name, step.policy);
}
