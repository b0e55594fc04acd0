// The published types import nothing, so they are a copy of the control API's. These comparisons fail in `tsc` once the
// two differ.

import { expectTypeOf, test } from 'vitest';
import type * as library from '../../src/library/types.js';
import type { ControlAnswers, ControlInputs } from '../../src/sandbox/control/api.js';

type Answer<Route extends keyof ControlAnswers> = ControlAnswers[Route];
type Item<List> = List extends ReadonlyArray<infer Each> ? Each : never;
type Body<Route extends keyof ControlInputs> = ControlInputs[Route] extends { body: infer Given }
  ? Given
  : never;
type Query<Route extends keyof ControlInputs> = ControlInputs[Route] extends { query?: infer Given }
  ? NonNullable<Given>
  : never;
/** With names that the library calls strings. */
type WithText<Value, Name> = { [Key in keyof Value]: Key extends Name ? string : Value[Key] };
/** All fields, none of them optional. */
type Fields<Value> = { [Key in keyof Value]-?: Exclude<Value[Key], undefined> };
/** The fields that both have: the library leaves some out on purpose. */
type Shared<Value, Whole> = Fields<Pick<Whole, keyof Value & keyof Whole>>;

test('answers are typed as the control API gives them', () => {
  expectTypeOf<library.ClockTime>().toEqualTypeOf<Answer<'GET /clock'>>();
  expectTypeOf<library.Books>().toEqualTypeOf<Answer<'GET /payments/{key}/books'>>();
  expectTypeOf<library.Fault>().toEqualTypeOf<Item<Answer<'GET /faults'>>>();

  type App = Item<Answer<'GET /apps'>>;
  expectTypeOf<library.App>().toEqualTypeOf<Shared<library.App, App>>();
  type Delivery = Item<library.Webhook['deliveries']>;
  expectTypeOf<Delivery>().toEqualTypeOf<Shared<Delivery, Answer<'POST /webhooks/{id}/resend'>>>();

  // Kinds of defects are added from time to time: the library calls them strings.
  type Defect = Item<Answer<'GET /settlement/defects'>['planted']>;
  expectTypeOf<library.PlantedDefect>().toEqualTypeOf<WithText<Defect, 'kind'>>();
  // Exact numbers become the numbers of JavaScript.
  type Seeded = Item<Answer<'POST /seed'>>;
  type Plain = Omit<library.SeededPayment, 'paymentId' | 'amount'>;
  expectTypeOf<Plain>().toEqualTypeOf<Shared<Plain, Seeded>>();
});

test('requests are typed as the control API takes them', () => {
  // The names of methods and faults are strings in the library, and are checked when they are used.
  type Pay = Fields<Body<'POST /payments/{key}/pay'>>;
  expectTypeOf<Fields<library.PayOptions>>().toEqualTypeOf<WithText<Pay, 'method'>>();
  type Fault = Fields<Body<'POST /faults'>>;
  expectTypeOf<Fields<library.NewFault>>().toEqualTypeOf<WithText<Fault, 'kind'>>();

  type AppPatch = Body<'PATCH /apps/{appId}'>;
  expectTypeOf<Fields<library.AppChange>>().toEqualTypeOf<Shared<library.AppChange, AppPatch>>();
  type NewApp = Parameters<library.Apps['create']>[0];
  expectTypeOf<Fields<NewApp>>().toEqualTypeOf<Fields<Body<'POST /apps'>>>();
  type ProviderAnswer = Parameters<library.Sandbox['provider']>[1];
  expectTypeOf<ProviderAnswer>().toEqualTypeOf<Body<'POST /payments/{key}/provider'>['answer']>();

  type Settlement = Query<'GET /settlement'>;
  expectTypeOf<keyof library.SettlementOptions>().toEqualTypeOf<Exclude<keyof Settlement, 'appId'>>();
  type Format = NonNullable<library.SettlementOptions['format']>;
  expectTypeOf<Format>().toEqualTypeOf<NonNullable<Settlement['format']>>();
});
