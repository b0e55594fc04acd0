// Known payments as a shop has them, in any number: few names, many customers, prices that come again and again; nearly
// all captured, some waiting, a few that need somebody.

const columns = `app_id, payment_id, reference_id, customer_id, amount, amount_number, currency, state, created_time,
  source, known_time, state_time, since_time, seen_time, payer_name, payer_email, brand, words`;
const names = ['ana', 'ben', 'carla', 'dan', 'eva', 'finn', 'greta', 'hugo'];

/** `i` is the number of the payment; the higher, the older. One a second. */
const valuesOf = (name: string, now: number) => `'app-1',
  cast(1000000 + i as text), 'inv-' || i, 'c_' || (i % 50000), cast(i % 401 as text) || '.90', i % 401 + 0.9, 'EUR',
  case when i % 1000 = 0 then 'Held' when i % 500 = 1 then 'Processing' when i % 100 = 2 then 'Authorised'
    when i % 20 = 3 then 'Created' when i % 30 = 4 then 'Refunded' else 'Captured' end,
  ${now} - i * 1000, 'imported', ${now}, ${now}, ${now} - i * 1000, ${now},
  ${name} || ' surname' || (i % 20000), 'mail' || (i % 50000) || '@shop.example',
  case when i % 2 = 0 then 'Visa' else 'Mastercard' end,
  cast(1000000 + i as text) || ' inv ' || i || ' inv' || i || ' c ' || (i % 50000) || ' c' || (i % 50000) ||
    ' mail' || (i % 50000) || ' shop example mail' || (i % 50000) || 'shopexample ' || ${name} ||
    ' surname' || (i % 20000) || case when i % 2 = 0 then ' visa' else ' mastercard' end`;

/** The statement that makes so many payments of the app `app-1` known. */
export function manyKnown(engine: 'sqlite' | 'postgres', count: number, now = Date.now()): string {
  if (engine === 'postgres') {
    const name = `(array[${names.map((one) => `'${one}'`).join(', ')}])[i % 8 + 1]`;
    return `insert into known_payments (${columns})
      select ${valuesOf(name, now)} from generate_series(1::bigint, ${count}) as numbers(i)`;
  }
  const name = `(case i % 8 ${names.map((one, at) => `when ${at} then '${one}'`).join(' ')} end)`;
  return `insert into known_payments (${columns})
    with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${count})
    select ${valuesOf(name, now)} from numbers`;
}
