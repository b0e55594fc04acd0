import type { Answered, Outcome } from './http.js';
import { must } from './invariants.js';
import { paidPaths, profiles, type Known, type StoredMethod } from './model.js';
import type { ModelRun, Entry, CallEffect } from './model-run.js';
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

function bodyOf(model: ModelRun, step: CreateStep, reference: string): Body {
  const { profileIds, policyIds, receiver } = model.world;
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
        expirationTime: new Date(model.now + step.expiresIn).toISOString(),
      }),
    }),
  };
}

function knownOf(model: ModelRun, step: CreateStep, reference: string): Known {
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
    ...(hosted && step.expiresIn !== undefined && { expires: model.now + step.expiresIn }),
    ...(step.policy !== undefined && { policy: step.policy }),
    offered,
    card: 'approved',
    ...(step.flow === 'provider' && { profile: step.profile }),
    saves: step.registers,
  };
}

/** Whether a create left a payment, and that it may have. */
function checkCreated(effect: CallEffect, isThere: boolean, valid: boolean, outcome: Outcome): void {
  const says = outcome === 'lost' ? 'lost' : `${outcome.status} ${JSON.stringify(outcome.body)}`;
  must(effect !== 'accepted' || valid, `a request that is not valid was accepted: ${says}`);
  must(effect !== 'refused' || !valid, `a valid request was refused: ${says}`);
  must(!isThere || (valid && effect !== 'untouched'), `a payment is there that was never created: ${says}`);
  must(
    isThere || !valid || effect === 'untouched' || effect === 'unclear',
    `an accepted payment is not there: ${says}`,
  );
}

export async function create(model: ModelRun, step: CreateStep): Promise<void> {
  const reference = model.nextReference();
  const body = bodyOf(model, step, reference);
  if (step.spoil) spoilers[step.spoil](body);
  const { outcome, effect } = await model.call('POST', paths[step.flow], 'create', body);
  await model.advance(0);
  const story = await model.find(`ref:${reference}`);
  checkCreated(effect, story !== undefined, step.spoil === undefined, outcome);
  if (effect === 'accepted') checkAnswer(outcome as Answered, 201, body);
  if (!story) return;
  const known = knownOf(model, step, reference);
  noteCustomer(model, known.customer);
  await model.add({ known, request: { path: paths[step.flow], body } }, story, [['Created']]);
}

function checkAnswer({ status, body }: Answered, expected: number, request: Body): void {
  const payment = body as Body;
  must(status === expected, `a new payment was answered with ${status}`);
  for (const field of ['referenceId', 'amount', 'autoCapture'])
    must(payment[field] === request[field], `${field} came back as ${String(payment[field])}`);
}

function noteCustomer(model: ModelRun, customer: string): void {
  if (!model.policyOfCustomer.has(customer)) model.policyOfCustomer.set(customer, undefined);
}

/** The same reference once more, with the same request or another one. */
export async function again(model: ModelRun, entry: Entry, differs: boolean): Promise<void> {
  const { path, body } = entry.request;
  const amount = Number((Number(body['amount']) - 0.01).toFixed(2)) || 5;
  const route = entry.known.flow === 'charge' ? 'charge' : 'create';
  const { outcome, effect } = await model.call('POST', path, route, differs ? { ...body, amount } : body);
  await model.advance(0);
  // A link whose end has passed is not valid any more, and that is looked at first.
  const isLate = entry.known.expires !== undefined && entry.known.expires <= model.now;
  if (effect === 'accepted') {
    const { status, body: payment } = outcome as Answered;
    must(!differs, 'another request with the same reference was accepted', entry.story);
    must(status === 200, `a repeated request was answered with ${status}`, entry.story);
    const { paymentId } = payment as { paymentId: number };
    must(paymentId === entry.story.payment.paymentId, 'a repeated request made another payment', entry.story);
  }
  if (effect === 'refused') {
    const { status } = outcome as Answered;
    must(
      isLate ? status === 400 || status === 409 : differs && status === 409,
      `repeated: ${status}`,
      entry.story,
    );
  }
  await model.absorb(entry, [[]]);
}

/** The same new payment from many sides at once. */
export async function flood(model: ModelRun, step: Extract<Step, { do: 'flood' }>): Promise<void> {
  const reference = model.nextReference();
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
  const body = bodyOf(model, create, reference);
  const outcomes = await Promise.all(
    Array.from({ length: step.count }, () => model.world.api('POST', paths.plain, body)),
  );
  const fates = outcomes.map((outcome) => model.effectOf(outcome, 'create'));
  await model.advance(0);
  must(!fates.includes('refused'), 'one of several equal creates was refused');
  const answered = outcomes.filter((_, index) => fates[index] === 'accepted') as Answered[];
  const ids = new Set(answered.map(({ body: payment }) => (payment as { paymentId: number }).paymentId));
  must(ids.size <= 1, `equal creates made ${ids.size} payments`);
  must(
    answered.filter(({ status }) => status === 201).length <= 1,
    'more than one was told it made the payment',
  );
  const story = await model.find(`ref:${reference}`);
  must(
    story !== undefined || fates.every((effect) => effect === 'untouched' || effect === 'unclear'),
    'an accepted payment is not there',
  );
  if (!story) return;
  const known = knownOf(model, create, reference);
  noteCustomer(model, known.customer);
  await model.add({ known, request: { path: paths.plain, body } }, story, [['Created']]);
}

type ChargeStep = Extract<Step, { do: 'charge' }>;

export async function charge(model: ModelRun, step: ChargeStep): Promise<void> {
  const reference = model.nextReference();
  const name = nameOf(step.customer);
  const list = model.methods.get(name) ?? [];
  const named = step.method === undefined ? undefined : list[step.method % list.length];
  const method = chooseMethod(list, step, named);
  const { profileIds, policyIds } = model.world;
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
  const { outcome, effect } = await model.call('POST', path, 'charge', body);
  await model.advance(0);
  const story = await model.find(`ref:${reference}`);
  checkCreated(effect, story !== undefined, method !== undefined, outcome);
  if (effect === 'accepted') checkAnswer(outcome as Answered, 200, body);
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
  const expected = paidPaths(known, verdictFor(model, known), circumstancesOf(model));
  const entry = { known, request: { path, body } };
  await model.add(
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
  const kindOf = (profile: number | undefined) => profiles[profile ?? -1]?.method;
  const active = list.filter(
    (method) =>
      method.active &&
      !method.removed &&
      (step.profile === undefined || kindOf(method.profile) === kindOf(step.profile)),
  );
  if (step.method !== undefined) return named && active.find((method) => method.id === named.id);
  const ofProfile = active.filter((method) => method.profile === step.profile);
  return (ofProfile.length > 0 ? ofProfile : active).at(-1);
}

export async function endMethod(model: ModelRun, step: Extract<Step, { do: 'end-method' }>): Promise<void> {
  const name = nameOf(step.customer);
  const list = model.methods.get(name) ?? [];
  const method = list[step.pick % list.length];
  if (!method) return;
  const removes = step.how === 'remove';
  const fits = !method.removed && (removes || method.active);
  const { body } = await model.read(`/customers/${name}/payment-methods`);
  const shown = (body as Array<{ paymentMethodId: number; customerAutomaticProfileId: number }>).find(
    ({ paymentMethodId }) => paymentMethodId === method.id,
  );
  const id = removes ? method.id : (shown?.customerAutomaticProfileId ?? 1);
  await model.look();
  const outcome = await model.world.api(
    'DELETE',
    `/customers/${name}/${removes ? 'payment-methods' : 'auto-payments'}/${id}`,
  );
  const effect = model.effectOf(outcome, 'end-method');
  must(effect !== 'accepted' || fits, `${step.how} of method ${method.id} was accepted`);
  must(effect !== 'refused' || !fits, `${step.how} of method ${method.id} was refused`);
  if (!fits || effect === 'untouched') return model.refreshMethods(name);
  if (effect === 'unclear') {
    const after = (await model.read(`/customers/${name}/payment-methods`)).body as Array<{
      paymentMethodId: number;
      isActive: boolean;
    }>;
    const left = after.find(({ paymentMethodId }) => paymentMethodId === method.id);
    if (left?.isActive) return;
  }
  method.active = false;
  method.removed ||= removes;
  await model.refreshMethods(name);
}

export async function customer(model: ModelRun, step: Extract<Step, { do: 'customer' }>): Promise<void> {
  const name = nameOf(step.customer);
  const { policyIds } = model.world;
  const exists = model.policyOfCustomer.has(name);
  const fits = !exists || model.policyOfCustomer.get(name) === step.policy;
  const outcome = await model.world.api('POST', '/customers', {
    customerId: name,
    ...(step.policy !== undefined && { fraudPolicyId: policyIds[step.policy] }),
  });
  const effect = model.effectOf(outcome, 'customer');
  must(effect !== 'accepted' || fits, `a customer that differs was accepted`);
  must(effect !== 'refused' || !fits, `a customer was refused`);
  if (exists) return;
  const { status } = await model.read(`/customers/${name}`);
  const isThere = status === 200;
  must(isThere || effect === 'untouched' || effect === 'unclear', 'an accepted customer is not there');
  must(!isThere || effect !== 'untouched', 'a customer is there that was never created');
  if (isThere) model.policyOfCustomer.set(name, step.policy);
}
