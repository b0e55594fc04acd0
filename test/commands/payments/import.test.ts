import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWithOwnPostgres, describeWithPostgres } from '../../helpers/postgres.js';
import { paydesk } from '../../helpers/run.js';
import { windows1252 } from '../../helpers/windows-1252.js';
import { openTestDesk, type TestDesk } from '../../helpers/desk.js';
import { startNumberedService } from './numbered-service.js';

let desk: TestDesk;
const folder = mkdtempSync(join(tmpdir(), 'paydesk-import-test-'));
beforeAll(async () => {
  desk = await openTestDesk();
});
afterAll(() => desk.sandbox.close());

function csv(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

function importTests(database: () => Promise<Record<string, string>>): void {
  let env: Record<string, string>;
  beforeAll(async () => {
    env = { PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')), ...(await database()) };
  });
  const run = (verb: 'import' | 'find', ...words: string[]) =>
    desk.run(verb, words, { env, now: new Date() });

  it('brings what explain shows of the order', async () => {
    const payment = await desk.paid();
    const bare = await desk.paid();
    const rows = [
      `${payment.referenceId},W-5512,Zoë Quist,zoe@shop.example,gift wrap`,
      `${bare.referenceId},,,,`,
    ];
    await run('import', csv('explained.csv', 'reference,order,name,email,note', ...rows));
    const explain = (paymentId: number, ...more: string[]) =>
      desk.run('explain', [paymentId, ...more], { env, now: new Date() });
    expect((await explain(payment.paymentId, '--json')).json).toMatchObject({
      payment: { paymentId: payment.paymentId },
      order: { orderId: 'W-5512', name: 'Zoë Quist', email: 'zoe@shop.example', note: 'gift wrap' },
    });
    expect((await explain(payment.paymentId)).stdout).toContain(
      '\norder\tW-5512\tZoë Quist\tzoe@shop.example\nnote\tgift wrap\n',
    );
    const shown = await desk.run('explain', [payment.paymentId], { env, terminal: true, now: new Date() });
    expect(shown.stdout).toContain(
      '\nOrder     W-5512   Zoë Quist   zoe@shop.example\nNote      gift wrap\n',
    );
    expect((await explain(bare.paymentId, '--json')).json['order']).toBeNull();
    expect((await explain(bare.paymentId)).stdout).not.toContain('order\t');
  });

  it('leads from an order number, however it is written, to its payment', async () => {
    const { paymentId, referenceId } = await desk.paid();
    await run('import', csv('numbered.csv', 'reference,order', `${referenceId},Q-7731`));
    for (const typed of ['Q-7731', 'q 7731']) {
      const { code, json } = await desk.run('get', [typed, '--json'], { env, now: new Date() });
      expect(code).toBe(1);
      expect(json.error).toMatchObject({
        message: expect.stringContaining(`Did you mean ${paymentId} (${referenceId}, order Q-7731)?`),
        next: expect.arrayContaining([`paydesk payments get ${paymentId}`]),
      });
    }
  });

  it('makes payments known with what the shop says of them, and says what is new, changed and the same', async () => {
    const [one, two] = [await desk.paid(), await desk.held()];
    const rows = [
      `${one.referenceId};"Müller, Ana";Ana@shop.example;A-1;x`,
      `${two.referenceId};Ben;ben@shop.example;A-2;x`,
      ';Nobody;;A-3;not paid yet',
      'never-heard-of;Carl;carl@shop.example;A-4;x',
    ];
    const file = csv('orders.csv', 'Reference;Customer name;E-mail;Order number;Colour', ...rows);
    desk.requests();
    const first = await run('import', file, '--json');
    expect(first.code).toBe(7);
    expect(first.json).toMatchObject({
      rows: 3,
      skipped: 1,
      resumedAt: 0,
      new: 2,
      changed: 0,
      same: 0,
      unknown: 1,
      unreadable: 0,
      problems: [{ line: 5, payment: 'ref:never-heard-of' }],
    });
    expect(desk.requests().every((line) => line.startsWith('GET '))).toBe(true);

    const again = await run('import', file, '--json');
    expect(again.json).toMatchObject({ new: 0, changed: 0, same: 2, unknown: 1 });
    const found = await run('find', 'ana muller', '--json');
    expect(found.json).toMatchObject([
      { referenceId: one.referenceId, orderId: 'A-1', email: 'Ana@shop.example' },
    ]);

    csv(
      'orders.csv',
      'Reference;Customer name;E-mail;Order number',
      `${one.referenceId};Ana Berg;ana@shop.example;A-1`,
    );
    const changed = await run('import', file);
    expect(changed.stderr).toContain('Imported 1 row: 0 new, 1 changed, 0 unchanged.');
    expect((await run('find', 'berg', '--json')).json).toHaveLength(1);
    expect((await run('find', 'muller', '--json')).json).toHaveLength(0);
  });

  it('reads what Excel saves on a German Windows, and says so', async () => {
    const paid = await desk.paid();
    const file = join(folder, 'german.csv');
    writeFileSync(
      file,
      windows1252(`Zahlungsreferenz;Kundenname;Bemerkung\r\n${paid.referenceId};Jürgen Groß;5 €\r\n`),
    );
    const { code, json, stderr } = await run('import', file, '--json');
    expect([code, json]).toEqual([0, expect.objectContaining({ rows: 1, new: 1 })]);
    expect(stderr).toContain('The file is not UTF-8, so paydesk reads it as Windows-1252.');
    const found = await run('find', 'jürgen groß', '--json');
    expect(found.json).toMatchObject([{ referenceId: paid.referenceId }]);
  });

  it('names the lines that it skips, the first ones where there are many', async () => {
    const { referenceId } = await desk.paid();
    const few = csv('few.csv', 'reference,name', ',Ana', `${referenceId},Ben`, ',Carl');
    expect((await run('import', few)).stderr).toContain('Skipped 2 rows without a payment: lines 2, 4.');
    expect((await run('import', few, '--json')).json).toMatchObject({ skipped: 2, skippedLines: [2, 4] });
    const many = csv('many.csv', 'reference,name', `${referenceId},Ben`, ...Array(23).fill(',Ana'));
    const first = Array.from({ length: 20 }, (_, index) => index + 3);
    expect((await run('import', many, '--json')).json).toMatchObject({ skipped: 23, skippedLines: first });
    expect((await run('import', many)).stderr).toContain(`lines ${first.join(', ')} and 3 more.`);
  });

  it('names the lines with a cell that is too long to be kept whole', async () => {
    const { referenceId } = await desk.paid();
    const note = `${'long '.repeat(120)}tailword`;
    const file = csv('long.csv', 'reference,note', `${referenceId},${note}`, `${referenceId},short`);
    expect((await run('import', file)).stderr).toContain(
      'Of longer cells, the first 500 characters are kept: line 2.',
    );
    expect((await run('import', file, '--json')).json).toMatchObject({ cut: 1, cutLines: [2] });
  });

  it('takes the columns that it is told, on a desk that may only read, from standard input', async () => {
    const paid = await desk.paid();
    const text = `Payment ref,Mail,Second mail,Bemerkung\n${paid.referenceId},dora@shop.example,x,ring twice\n`;
    const words = ['-', '--column', 'referenceId=Payment ref', '--column', 'note=bemerkung', '--json'];
    const ran = await desk.run('import', words, { env: { ...env, PAYDESK_READ_ONLY: '1' }, input: text });
    expect([ran.code, ran.json]).toMatchObject([0, { rows: 1, new: 1 }]);
    expect((await run('find', 'dora ring', '--json')).json).toMatchObject([{ note: 'ring twice' }]);
  });

  it('takes a payment that is there twice, quoted lines, and tabs between cells', async () => {
    const paid = await desk.paid();
    const file = csv(
      'twice-there.csv',
      '\uFEFFReference\tNote\tBetrag',
      `${paid.referenceId}\t"first\nline"\t1.234,50`,
      `${paid.referenceId}\t\t1.234,50`,
      `${paid.referenceId}\tlast\t`,
    );
    const { code, json } = await run('import', file, '--json');
    expect([code, json]).toMatchObject([0, { rows: 3, new: 1, same: 2, problems: [] }]);
    expect((await run('find', 'last', '--json')).json).toMatchObject([{ note: 'last' }]);
    expect((await run('find', 'first', '--json')).json).toEqual([]);
  });

  it('keeps the first of two orders that a file has for one payment, and reports the other', async () => {
    const [one, two] = [await desk.paid(), await desk.paid()];
    const file = csv(
      'two-orders.csv',
      'reference,order,name',
      `${one.referenceId},TWO-4,Dee`,
      `${one.referenceId},TWO-5,Eve`,
      `${one.referenceId},TWO-4,`,
      `${two.referenceId},TWO-6,Fay`,
    );
    for (const counts of [
      { new: 2, changed: 0, same: 1 },
      { new: 0, changed: 0, same: 3 },
    ]) {
      const { code, json } = await run('import', file, '--json');
      expect([code, json]).toMatchObject([
        7,
        {
          ...counts,
          rows: 4,
          problems: [
            {
              line: 3,
              payment: `ref:${one.referenceId}`,
              problem: 'line 2 has this payment with another order, which was kept',
            },
          ],
        },
      ]);
    }
    expect((await run('find', 'TWO-4', '--json')).json).toMatchObject([{ referenceId: one.referenceId }]);
    expect((await run('find', 'TWO-5', '--json')).json).toEqual([]);
  });

  it('counts a payment as changed when its order is written otherwise', async () => {
    const { referenceId } = await desk.paid();
    const importAs = async (order: string, note: string) =>
      (
        await run(
          'import',
          csv('rewritten.csv', 'reference,order,note', `${referenceId},${order},${note}`),
          '--json',
        )
      ).json;
    expect(await importAs('REW-7', 'ring twice')).toMatchObject({ new: 1 });
    expect(await importAs('REW 7', 'ring twice')).toMatchObject({ changed: 1, same: 0 });
    expect(await importAs('REW 7', 'ring twice!')).toMatchObject({ changed: 1, same: 0 });
    expect(await importAs('REW 8', 'ring twice!')).toMatchObject({ changed: 1, same: 0 });
    expect(await importAs('REW 8', 'ring twice!')).toMatchObject({ changed: 0, same: 1 });
  });

  it('says how to keep a column that it does not recognise', async () => {
    const { stderr } = await run('import', csv('ignored.csv', 'payment,Belegnummer', '1,7'));
    expect(stderr).toContain('Ignored column: Belegnummer.');
    expect(stderr).toContain('What can be kept: order, email, name, note.');
    const twice = ['--column', 'order=Belegnummer', '--column', 'order=payment'];
    const refused = await run('import', csv('ignored.csv', 'payment,Belegnummer', '1,7'), ...twice);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('order=… is there twice')]);
    const german = csv(
      'german.csv',
      'Zahlungsreferenz;Bestellnummer;E-Mail-Adresse;Bemerkung',
      'x;B-1;a@b.example;c',
    );
    expect((await run('import', german)).stderr).not.toContain('Ignored');
  });

  it('refuses a file that can be read two ways, before anything is read', async () => {
    desk.requests();
    const twice = await run(
      'import',
      csv('twice.csv', 'payment,email,mail', '1,a@b.example,c@d.example'),
      '--json',
    );
    expect(twice.code).toBe(2);
    expect(twice.stdout).toContain('email and mail can both be the column email');
    const none = await run('import', csv('none.csv', 'colour,size', 'red,1'), '--json');
    expect([none.code, none.stdout]).toEqual([2, expect.stringContaining('--column referenceId=HEADER')]);
    expect(none.stdout).toContain('The columns are:');
    const typo = await run(
      'import',
      csv('typo.csv', 'reference,Mail', 'a,b'),
      '--column',
      'email=Mial',
      '--json',
    );
    expect([typo.code, typo.stdout]).toEqual([2, expect.stringContaining('there is no column Mial')]);
    const empty = await run('import', csv('empty.csv'), '--json');
    expect([empty.code, empty.stdout]).toEqual([2, expect.stringContaining('for example payment,order')]);
    const bad = await run('import', csv('bad.csv', 'paymentId', '12', 'x'), '--json');
    expect([bad.code, bad.stdout]).toEqual([2, expect.stringContaining('line 3')]);
    const flag = await run('import', 'x.csv', '--column', 'colour=Farbe', '--json');
    expect([flag.code, flag.stdout]).toEqual([2, expect.stringContaining('COLUMN=HEADER')]);
    for (const typed of ['referenceid', 'referenceId=']) {
      const bare = await run('import', 'x.csv', '--column', typed, '--json');
      expect(bare.code).toBe(2);
      expect(JSON.stringify(bare.json['error'])).toContain(
        JSON.stringify('COLUMN=HEADER, for example --column referenceId="Header in your file"').slice(1, -1),
      );
    }
    expect(desk.requests()).toEqual([]);
  });

  it('ends with the refusal when no row is known, and temporarily when the service is away', async () => {
    const file = csv('unknown.csv', 'reference', 'nobody-1', 'nobody-2');
    expect((await run('import', file)).code).toBe(1);
    // As many reads at once as nobody can do: it must not take longer than a few.
    const many = await run('import', csv('one.csv', 'reference', 'nobody-1'), '--concurrency', '99999');
    expect([many.code, many.stderr]).toEqual([
      1,
      expect.stringContaining('The only row did not become a known payment.'),
    ]);
    const away = await desk.run('import', [file], {
      env: { ...env, PAYDESK_BASE_URL: 'http://127.0.0.1:9' },
    });
    expect([away.code, away.stderr]).toEqual([
      5,
      expect.stringContaining('0 of 2 rows are imported. The same command continues there.'),
    ]);
  });
}

describe('payments import, on SQLite', () => importTests(async () => ({})));

describeWithPostgres('payments import, on PostgreSQL', (postgres) => {
  importTests(async () => ({ PAYDESK_DATABASE: await postgres().createDatabase() }));
});

describe('an import from a service that does not show every payment', () => {
  let answer: (reference: string) => number | void;
  let service: Awaited<ReturnType<typeof startNumberedService>>;
  beforeAll(async () => {
    service = await startNumberedService((reference) => answer(reference));
  });
  afterAll(() => service.close());

  const envWith = (more: Record<string, string> = {}) => ({
    ...service.env,
    PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')),
    ...more,
  });
  const references = (count: number) => Array.from({ length: count }, (_, index) => `ref-${index + 1}`);
  const importing = (file: string, env: Record<string, string>, ...words: string[]) =>
    desk.run('import', [file, ...words, '--json'], { env, now: new Date() });

  async function importAroundOne(env: Record<string, string>): Promise<void> {
    answer = (reference) => (reference === 'ref-7' ? 500 : undefined);
    const { code, json } = await importing(csv('one-bad.csv', 'reference', ...references(60)), env);
    expect([code, json]).toMatchObject([
      7,
      { rows: 60, new: 59, unknown: 0, unreadable: 1, problems: [{ line: 8, payment: 'ref:ref-7' }] },
    ]);
  }

  it('reports the one row whose payment fails, and imports the others', () => importAroundOne(envWith()));

  describeWithPostgres('on PostgreSQL', (postgres) => {
    it('reports the one row whose payment fails, and imports the others', async () =>
      importAroundOne(envWith({ PAYDESK_DATABASE: await postgres().createDatabase() })));
  });

  it.each(['1', '16'])(
    'imports around a payment of many rows, with %s reads at once',
    async (concurrency) => {
      answer = (reference) => (reference === 'ref-7' ? 500 : undefined);
      const rows = [...references(20), ...Array<string>(1_200).fill('ref-7'), ...references(40).slice(20)];
      const file = csv('items.csv', 'reference', ...rows);
      const { code, json } = await importing(file, envWith(), '--concurrency', concurrency);
      expect([code, json]).toMatchObject([7, { rows: 1_240, new: 39, unknown: 0, unreadable: 1_201 }]);
    },
  );

  it('ends when several payments in a row fail, and reads all of them again in the next run', async () => {
    const [env, file] = [envWith(), csv('outage.csv', 'reference', ...references(60))];
    answer = (reference) => (Number(reference.slice(4)) > 6 ? 503 : undefined);
    const ended = await importing(file, env, '--concurrency', '1');
    expect([ended.code, ended.json]).toMatchObject([
      5,
      { error: { details: '6 of 60 rows are imported. The same command continues there.' } },
    ]);
    answer = () => {};
    const { code, json } = await importing(file, env);
    expect([code, json]).toMatchObject([0, { resumedAt: 6, new: 60, unreadable: 0 }]);
  });

  it('ends temporarily when the service shows none of a few payments', async () => {
    answer = () => 503;
    const { code, json } = await importing(csv('two.csv', 'reference', ...references(2)), envWith());
    expect([code, json]).toMatchObject([5, { error: { httpStatus: 503 } }]);
  });
});

describe('an import of many rows', () => {
  const ROWS = 1_200;
  const STOP_AT = 1_050;
  /** Read at once. */
  const CONCURRENT = 16;
  let service: Awaited<ReturnType<typeof startNumberedService>>;
  let reads: string[] = [];
  let onRead: () => void | Promise<void> = () => {};
  let file: string;

  beforeAll(async () => {
    service = await startNumberedService((reference) => {
      reads.push(reference);
      return onRead();
    });
    const references = Array.from({ length: ROWS }, (_, index) => `ref-${index + 1}`);
    file = csv('many.csv', 'reference', ...references);
  });
  afterAll(() => service.close());

  const envWith = (more: Record<string, string>) => ({
    ...service.env,
    PAYDESK_HOME: mkdtempSync(join(tmpdir(), 'paydesk-home-')),
    ...more,
  });
  const run = (verb: 'import' | 'find', words: string[], env: Record<string, string>, more = {}) =>
    desk.run(verb, words, { env, now: new Date(), ...more });
  /** Calls this at a read by which the first rows are written: not many more are read ahead. */
  function atSomeRead(stop: () => void): void {
    reads = [];
    onRead = () => void (reads.length === STOP_AT && stop());
  }

  /** Runs it to the end: every row counts once, and only what was not done is read. */
  async function continueIt(env: Record<string, string>): Promise<number> {
    atSomeRead(() => {});
    const { code, json } = await run('import', [file, '--json'], env);
    const { resumedAt, ...counts } = json as unknown as Record<string, number>;
    expect([code, counts]).toMatchObject([0, { rows: ROWS, new: ROWS, changed: 0, same: 0, unknown: 0 }]);
    expect(reads).toHaveLength(ROWS - resumedAt!);
    expect((await run('find', [`ref-${ROWS}`, '--json'], env)).json).toHaveLength(1);
    expect((await run('find', ['ref-1', '--json'], env)).json).toHaveLength(1);
    return resumedAt!;
  }

  async function kill(env: Record<string, string>): Promise<void> {
    const killed = await paydesk(['payments', 'import', file, '--json'], {
      env,
      home: env['PAYDESK_HOME']!,
      onStarted: (child) => atSomeRead(() => child.kill('SIGKILL')),
    });
    expect(killed.code).toBe(-1);
    expect(reads.length).toBeLessThan(ROWS);
  }

  /** More rows than are written by one statement: a later file may add names, and takes none away. */
  async function importThrice(env: Record<string, string>): Promise<void> {
    const named = Array.from({ length: 60 }, (_, index) => `ref-${index + 1},Surname${index + 1}`);
    const bare = csv('bare.csv', 'reference', ...named.map((row) => row.split(',')[0] ?? ''));
    const files = [bare, csv('named.csv', 'reference,name', ...named), bare];
    const counts: unknown[] = [];
    for (const each of files) counts.push((await run('import', [each, '--json'], env)).json);
    expect(counts).toMatchObject([
      { new: 60, changed: 0, same: 0 },
      { new: 0, changed: 60, same: 0 },
      { new: 0, changed: 0, same: 60 },
    ]);
    expect((await run('find', ['Surname42', '--json'], env)).json).toMatchObject([{ referenceId: 'ref-42' }]);
  }

  it('adds what a later file says, and keeps what an earlier one said', () => importThrice(envWith({})));

  it('stopped by kill -9 continues where it was, and counts every row once', async () => {
    const env = envWith({});
    await kill(env);
    expect(await continueIt(env)).toBeGreaterThan(0);
  });

  describeWithPostgres('on PostgreSQL', (postgres) => {
    it('adds what a later file says, and keeps what an earlier one said', async () =>
      importThrice(envWith({ PAYDESK_DATABASE: await postgres().createDatabase() })));

    it('stopped by kill -9 continues where it was, and counts every row once', async () => {
      const env = envWith({ PAYDESK_DATABASE: await postgres().createDatabase() });
      await kill(env);
      expect(await continueIt(env)).toBeGreaterThan(0);
    });
  });

  describeWithOwnPostgres('on a PostgreSQL that goes away', (postgres) => {
    it('ends, and continues once it is there again', async (context) => {
      const server = postgres();
      context.skip(!server.ours, 'the server is not ours to stop');
      const env = envWith({ PAYDESK_DATABASE: await server.createDatabase() });
      let crashed: Promise<void> | undefined;
      const lost = await paydesk(['payments', 'import', file, '--json'], {
        env,
        home: env['PAYDESK_HOME'],
        onStarted: () => {
          reads = [];
          // No more answers before it is gone, so that the import cannot come to its end.
          onRead = () => (reads.length < STOP_AT ? undefined : (crashed ??= server.crash()));
        },
      });
      await crashed;
      await server.start();
      expect(lost.code).toBe(5);
      expect(JSON.parse(lost.stdout)).toMatchObject({ error: { code: 'ledger-unavailable' } });
      expect(await continueIt(env)).toBeGreaterThan(0);
    });
  });

  it.each([[[]], [['--json']]])(
    'stopped by Ctrl-C keeps what was read, and says how to continue: %j',
    async (flags) => {
      const env = envWith({});
      const stopped = await run('import', [file, ...flags], env, { onStart: atSomeRead });
      expect(stopped.code).toBe(130);
      const done = Number(
        /([\d,]+) of 1,200 rows are imported. The same command continues there./
          .exec(stopped.stdout + stopped.stderr)?.[1]
          ?.replaceAll(',', ''),
      );
      // All but those that were on their way.
      expect(done).toBeGreaterThanOrEqual(STOP_AT - 2 * CONCURRENT);
      expect(stopped.stdout + stopped.stderr).toMatch(
        new RegExp(`(Next:|"next").*paydesk \\w+ ${file}`, 's'),
      );
      expect(await continueIt(env)).toBe(done);
    },
  );
});
