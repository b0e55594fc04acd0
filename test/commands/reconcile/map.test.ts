import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import ReconcileMap from '../../../src/commands/reconcile/map.js';
import { guessMapping } from '../../../src/reconcile/csv/guess.js';
import { parseMapping } from '../../../src/reconcile/csv/mapping.js';
import { createCsvReader } from '../../../src/reconcile/csv/reader.js';
import { createFileProblems } from '../../../src/spreadsheet/problems.js';
import { runCommand, temporaryHome } from '../../helpers/desk.js';
import { paydeskTty } from '../../helpers/run.js';
import { windows1252 } from '../../helpers/windows-1252.js';
import { HEADER } from '../../reconcile/northbank.js';

const folder = temporaryHome();
let files = 0;

function csv(...lines: string[]): string {
  const path = join(folder, `settlement-${(files += 1)}.csv`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

const map = (file: string, ...args: string[]) => runCommand(ReconcileMap, [file, ...args], { env: {} });
const sandboxFile = csv(
  HEADER,
  '2026-11-14T10:00:00.000Z,capture,ref_1,cap_1,inv-1,49.90,0.74,49.16,EUR',
  '2026-11-14T11:00:00.000Z,refund,ref_1,,inv-1,-49.90,0.00,-49.90,EUR',
);

describe('reconcile map', () => {
  it('guesses the mapping of a settlement file and writes it with --yes', async () => {
    const out = join(folder, 'northbank.yaml');
    const { code, stdout, stderr } = await map(sandboxFile, '--out', out, '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('providerReference: provider_reference');
    expect(stdout).toContain('2\tcapture\t49.90');
    expect(stderr).toContain(`paydesk reconcile ${sandboxFile} --map ${out}`);
    expect(parseMapping('m', readFileSync(out, 'utf8'))).toMatchObject({
      columns: { at: 'booked_at', operationId: 'capture_id', reference: 'merchant_reference', fee: 'fee' },
      decimal: 'point',
      kinds: { capture: ['capture'], refund: ['refund'] },
      signs: { outgoing: [], fee: 'positive' },
    });
    const again = await map(sandboxFile, '--out', out, '--yes');
    expect([again.code, again.stderr.replaceAll('\n', ' ')]).toEqual([
      9,
      expect.stringContaining('exists already. Nothing was written. Use it, or write another one.'),
    ]);
    const { json: refused } = await map(sandboxFile, '--out', out, '--yes', '--json');
    expect(refused['error']?.['next']).toEqual([
      `paydesk reconcile ${sandboxFile} --map ${out}`,
      `paydesk reconcile map ${sandboxFile} --out ${out.replace('.yaml', '-2.yaml')}`,
    ]);
  });

  it('leaves out a title above the header, as reconcile does with the mapping', async () => {
    const file = csv(
      'Umsätze November 2026',
      'Konto;DE12 3456',
      '',
      'Buchungstag;Art;Betrag;Währung;Referenz',
      '14.11.2026;Zahlung;1.234,50;EUR;inv-1',
    );
    const out = join(folder, 'titled.yaml');
    const { code, stdout, stderr } = await map(file, '--out', out, '--yes');
    expect([code, stderr]).toEqual([0, expect.stringContaining('The header is line 4.')]);
    expect(stdout).toContain('5\tcapture\t1234.50');
    const read = createCsvReader(parseMapping('m', readFileSync(out, 'utf8')));
    const problems = createFileProblems();
    const source = (async function* () {
      yield readFileSync(file);
    })();
    const lines = await Array.fromAsync(read(source, problems));
    expect([problems.count, lines.flat()]).toEqual([0, [expect.objectContaining({ line: 5 })]]);
  });

  it('recognises decimal commas, German dates, unsigned refunds and negative fees', async () => {
    const file = csv(
      'Buchungstag;Art;Betrag;Währung;Gebühr;Transaction ID;Referenz',
      '14.11.2026;Zahlung;1.234,50;EUR;-18,51;t1;inv-1',
      '15.11.2026;Erstattung;10,00;EUR;0,00;t2;inv-2',
    );
    const { json, code } = await map(file, '--out', join(folder, 'de.yaml'), '--yes', '--json');
    expect(code).toBe(0);
    expect(json['lines']).toEqual([
      {
        line: 2,
        kind: 'capture',
        amount: 1234.5,
        currency: 'EUR',
        fee: 18.51,
        at: '2026-11-14',
        providerReference: 't1',
        reference: 'inv-1',
      },
      {
        line: 3,
        kind: 'refund',
        amount: -10,
        currency: 'EUR',
        fee: 0,
        at: '2026-11-15',
        providerReference: 't2',
        reference: 'inv-2',
      },
    ]);
  });

  it.each([
    ['amounts', 'Betrag', ['10,00', '-5,00']],
    ['two columns', 'Haben;Soll', ['10,00;', ';5,00']],
    ['a direction', 'Betrag;Soll/Haben', ['10,00;H', '5,00;S']],
  ])('takes Gutschrift for a refund only where money goes out: %s', (_, columns, [paid, returned]) => {
    const guess = (...amounts: Array<string | undefined>) =>
      guessMapping({
        header: `Art;${columns};Währung;Referenz`.split(';'),
        rows: amounts.map((amount, index) => `Gutschrift;${amount};EUR;inv-${index}`.split(';')),
      });
    const kindsOf = ({ text }: { text: string }) => parseMapping('m', text).kinds;
    const bank = guess(paid, paid);
    expect(kindsOf(bank)).toEqual({});
    expect(parseMapping('m', bank.text).signs.outgoing).toEqual([]);
    expect(bank.notes).toEqual([
      'Gutschrift may be a payment or a refund: add it to kinds in the mapping, as capture or refund.',
    ]);
    expect(kindsOf(guess(paid, returned))).toEqual({});
    const provider = guess(returned, returned);
    expect(kindsOf(provider)).toEqual({ refund: ['Gutschrift'] });
    expect(provider.notes).toEqual([]);
  });

  const guessed = (column: string, words: readonly string[], amounts: readonly string[] = []) => {
    const { text, notes, ignored } = guessMapping({
      header: ['Date', column, 'Amount', 'Currency', 'Reference', 'Shop'],
      rows: words.map((word, index) => [
        '2026-11-14',
        word,
        amounts[index] ?? '5.00',
        'EUR',
        `r${index}`,
        'A',
      ]),
    });
    return { ...parseMapping('m', text), notes, ignored };
  };

  it.each([
    ['operation', ['sale', 'refund'], { capture: ['sale'], refund: ['refund'] }],
    ['Txn Type', ['SALE', 'RFND'], { capture: ['SALE'], refund: ['RFND'] }],
    ['Vorgang', ['Zahlung', 'Erstattung'], { capture: ['Zahlung'], refund: ['Erstattung'] }],
    ['Vorgang', ['Zahlung', 'Rückbuchung'], { capture: ['Zahlung'], chargeback: ['Rückbuchung'] }],
    ['Movement', ['CHARGE', 'REFUND'], { capture: ['CHARGE'], refund: ['REFUND'] }],
    [
      'Description',
      ['Card payment', 'Refund to card'],
      { capture: ['Card payment'], refund: ['Refund to card'] },
    ],
    ['Code', ['PAY', 'REF'], { capture: ['PAY'], refund: ['REF'] }],
    ['Status', ['settled', 'refunded'], { capture: ['settled'], refund: ['refunded'] }],
    ['Status', ['settled', 'PARTIAL_REFUND'], { capture: ['settled'], refund: ['PARTIAL_REFUND'] }],
    ['What', ['sale', 'sale', 'payout'], { capture: ['sale'] }],
    ['Vorgang', ['Zahlung', 'Gebühr'], { capture: ['Zahlung'], fee: ['Gebühr'] }],
  ])('recognises the kinds in a column %s by its words: %j', (column, words, kinds) => {
    expect(guessed(column, words)).toMatchObject({
      columns: { kind: column },
      kinds,
      notes: [],
      ignored: ['Shop'],
    });
  });

  it('takes no other column for the kind', () => {
    const none = (column: string, words: string[], amounts?: string[]) =>
      expect(guessed(column, words, amounts).columns.kind).toBeUndefined();
    none('Status', ['settled', 'settled']);
    none('Status', ['settled', 'sale'], ['5.00', '-5.00']);
    none('Product', ['Sale', 'Shoes', 'Hat', 'Coat']);
    none(
      'Text',
      Array.from({ length: 30 }, (_, index) => (index === 0 ? 'refund' : `order ${index}`)),
    );
    none('Note', ['', '']);
  });

  it('prefers a column with words of kinds to one that only has the name', () => {
    const { text } = guessMapping({
      header: ['Type', 'State', 'Operation', 'Amount', 'Currency', 'Reference'],
      rows: [
        ['VISA', 'sale', 'sale', '5.00', 'EUR', 'a'],
        ['VISA', 'sale', 'refund', '5.00', 'EUR', 'b'],
      ],
    });
    expect(parseMapping('m', text)).toMatchObject({
      columns: { kind: 'Operation' },
      signs: { outgoing: ['refund'] },
    });
  });

  it('says which words it does not know, and which may mean two things', () => {
    expect(guessed('Type', ['Sale', 'Storno', 'XRET', 'Fee', 'ZZ']).notes).toEqual([
      'Storno may be a refund or a chargeback: add it to kinds in the mapping, as refund or chargeback.',
      'paydesk does not know what XRET, ZZ means: add it to kinds in the mapping if it is a capture, a refund or a chargeback.',
    ]);
    expect(guessed('Type', ['Sale', 'a', 'b', 'c', 'd', 'e', 'f', 'g']).notes).toEqual([
      expect.stringContaining('does not know what a, b, c, d, e and 2 more means'),
    ]);
  });

  it('says that nothing tells refunds from captures', () => {
    const note =
      'No column tells refunds from captures: add kind or direction to the mapping, or paydesk recommends no refund.';
    expect(guessed('Memo', ['x', 'y']).notes).toEqual([note]);
    expect(guessed('Memo', ['x', 'y'], ['5.00', '-5.00']).notes).toEqual([]);
    expect(guessed('D/C', ['D', 'C']).notes).toEqual([]);
  });

  const germanHeader = 'Buchungsdatum;Vorgang;Referenz;Betrag;Währung';
  const germanRows = ['18.11.2026;Zahlung;dbl-1;29,00;EUR', '17.11.2026;Zahlung;eur-50;50,00;EUR'];

  it('reads the date of most lines where the last line has the total', async () => {
    const file = csv(germanHeader, ...germanRows, 'Summe;;;79,00;EUR');
    const out = `${file}.yaml`;
    const { code, json } = await map(file, '--out', out, '--yes', '--json');
    expect(code).toBe(0);
    expect(json['mapping']).toContain('date: DD.MM.YYYY\n');
    expect(json).toMatchObject({ problems: [], lines: [{ at: '2026-11-18' }, { at: '2026-11-17' }] });
  });

  it('writes no mapping that reads none of the lines', async () => {
    const file = csv(germanHeader, ...germanRows.map((row) => row.replace('.2026', ' AD')));
    const out = `${file}.yaml`;
    const { code, stdout, stderr } = await map(file, '--out', out, '--yes');
    expect([code, existsSync(out)]).toEqual([2, false]);
    expect(stdout).toContain('at: Buchungsdatum');
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'The guessed mapping reads none of the first lines. Nothing was written. Write the mapping yourself: see docs/reconcile.md.',
    );
    expect(stderr).toContain('line 2');
  });

  it.each([
    ['S/H', 'H', 'S'],
    ['H/S', 'H', 'S'],
    ['CR/DR', 'CR', 'DR'],
    ['Dr/Cr', 'Cr', 'Dr'],
    ['Kennzeichen', 'H', 'S'],
    ['KZ', 'K', 'D'],
    ['Af Bij', 'Bij', 'Af'],
  ])('recognises %s as the direction, with %s and %s', async (column, into, out) => {
    const file = csv(
      `Datum;Referenz;Betrag;${column};Währung`,
      `18.11.2026;inv-1;64,20;${into};USD`,
      `18.11.2026;inv-1;64,20;${out};USD`,
    );
    const { json } = await map(file, '--out', `${file}.yaml`, '--yes', '--json');
    expect(json['lines']).toMatchObject([{ kind: 'capture' }, { kind: 'refund' }]);
    expect(json['mapping']).toContain(`direction: ${column}`);
  });

  it('says which column it takes for the direction by its cells alone, and takes none of cards', () => {
    expect(guessed('KZ', ['H', 'S']).notes).toEqual([
      'The column KZ is read as the direction: H comes in, S goes out. Correct direction in the mapping if it does not.',
    ]);
    expect(guessed('Card type', ['C', 'D']).columns).not.toHaveProperty('direction');
    expect(guessed('KZ', ['H', 'S'], ['5.00', '-5.00']).columns).not.toHaveProperty('direction');
  });

  it('needs --yes where it must not ask, on a terminal too', async () => {
    const out = join(folder, 'unasked.yaml');
    const tty = await paydeskTty(['reconcile', 'map', sandboxFile, '--out', out, '--no-input'], {});
    await tty.waitFor('Writing the file must be confirmed with --yes. Nothing was written.');
    expect(await tty.ended()).toBe(2);
  });

  it('names the columns that it ignores', async () => {
    const { stderr } = await map(sandboxFile, '--out', join(folder, 'ignored.yaml'), '--yes');
    expect(stderr).toContain('Ignored column: net.\n');
  });

  it('needs none for XML, also where a mapping of that name is there', async () => {
    const file = join(folder, 'statement.xml');
    writeFileSync(file, '<Document/>');
    const out = join(folder, 'statement.map.yaml');
    writeFileSync(out, 'columns: {}');
    const { code, json } = await map(file, '--out', out, '--yes', '--json');
    expect([code, json['error']]).toEqual([
      2,
      expect.objectContaining({ code: 'mapping-not-needed', next: [`paydesk reconcile ${file}`] }),
    ]);
  });

  it('guesses that refunds are written without a minus only where all of them are', () => {
    const guess = (...amounts: string[]) =>
      guessMapping({
        header: ['Type', 'Amount', 'Currency', 'Reference'],
        rows: amounts.map((amount, index) => ['Refund', amount, 'EUR', `inv-${index}`]),
      });
    const outgoing = ({ text }: { text: string }) => parseMapping('m', text).signs.outgoing;
    const unsigned = guess('10.00', '0.00', '5.00');
    expect([outgoing(unsigned), unsigned.notes]).toEqual([['refund'], []]);
    const signed = guess('-10.00', '-5.00');
    expect([outgoing(signed), signed.notes]).toEqual([[], []]);
    const mixed = guess('-10.00', '5.00');
    expect([outgoing(mixed), mixed.notes]).toEqual([
      [],
      ['Some amounts of kind refund have a minus and some do not: correct kinds or signs in the mapping.'],
    ]);
  });

  it('says when dates can be read in two ways, and when not at all', async () => {
    const file = csv('Date,Type,Amount,Currency,Reference', '01/02/2026,Sale,5.00,EUR,a');
    const { json } = await map(file, '--out', join(folder, 'two.yaml'), '--yes', '--json');
    expect(json['notes']).toEqual([expect.stringContaining('MM/DD/YYYY')]);
    const odd = csv('Date,Type,Amount,Currency,Reference', 'Friday,Sale,5.00,EUR,a');
    const found = (await map(odd, '--out', join(folder, 'odd.yaml'), '--yes', '--json')).json;
    expect(found['error']?.['details']).toEqual([
      { input: 'line 2', problem: 'date Friday: does not fit iso' },
      { input: 'note', problem: expect.stringContaining('does not recognise dates like Friday') },
    ]);
  });

  it('writes nothing without --yes where nobody can be asked', async () => {
    const out = join(folder, 'unasked.yaml');
    const { code, stderr } = await map(sandboxFile, '--out', out, '--no-input');
    expect(code).toBe(2);
    expect(stderr).toContain('--yes');
    expect(existsSync(out)).toBe(false);
  });

  it('says which columns it cannot find', async () => {
    const { code, json } = await map(csv('a,b', '1,2'), '--yes', '--json');
    expect(code).toBe(2);
    expect(json['error']).toMatchObject({
      code: 'no-guess',
      details: [
        { input: 'amount' },
        { input: 'currency' },
        { input: 'providerReference, operationId, reference' },
        { problem: 'a, b' },
      ],
    });
    expect((await map(csv('<Document/>'), '--yes')).code).toBe(2);
    expect((await map(csv(''), '--yes')).code).toBe(2);
  });

  it('asks at a terminal for a column without a usual name', async () => {
    const file = csv('Buchungsdatum;Vorgang;Betrag;Devisen;Kennung', '14.11.2026;Zahlung;10,00;EUR;inv-1');
    const out = join(folder, 'asked.yaml');
    const tty = await paydeskTty(['reconcile', 'map', file, '--out', out], { home: folder });
    await tty.waitFor('Which column has the currency?');
    await tty.waitFor('navigate');
    // The words of Vorgang are those of kinds, so it is not offered.
    tty.press('enter');
    await tty.waitFor("Which column has the provider's reference?");
    await tty.waitFor('navigate');
    tty.press('up', 'enter');
    await tty.waitFor('Which column has the id of a capture or an authorisation?');
    await tty.waitFor('navigate');
    tty.press('up', 'enter');
    await tty.waitFor('Which column has your own reference?');
    await tty.waitFor('navigate');
    tty.press('enter');
    await tty.waitFor('Write ');
    tty.press('enter');
    expect(await tty.ended()).toBe(0);
    expect(parseMapping('m', readFileSync(out, 'utf8'))).toMatchObject({
      columns: { kind: 'Vorgang', amount: 'Betrag', currency: 'Devisen', reference: 'Kennung' },
    });
  });

  it('asks at a terminal for the currency of a file without a column for it', async () => {
    const file = csv('Datum;Typ;Betrag;Referenz;Text', '14.11.2026;Zahlung;10,00;inv-1;x');
    const out = join(folder, 'one-currency.yaml');
    const tty = await paydeskTty(['reconcile', 'map', file, '--out', out], { home: folder });
    await tty.waitFor('Which column has the currency?');
    await tty.waitFor('navigate');
    tty.press('up', 'enter');
    await tty.waitFor('Which currency are the amounts in?');
    tty.type('chf');
    tty.press('enter');
    await tty.waitFor('Write ');
    tty.press('enter');
    expect(await tty.ended()).toBe(0);
    expect(parseMapping('m', readFileSync(out, 'utf8'))).toMatchObject({ currency: 'CHF' });
    const { json } = await map(file, '--out', `${out}.2`, '--yes', '--json');
    expect(json['error']?.['details']).toContainEqual({
      input: 'currency',
      problem: 'no column has a usual name for it; without one, write currency: EUR',
    });
  });

  it('says how it reads amounts that could be others', async () => {
    const header = 'Händlerreferenz,Referenz,PSP-Referenz,Betrag,Währung,Datum';
    const out = join(folder, 'thousands.yaml');
    const { stdout } = await map(csv(header, 'inv-1,x1,psp_1,1.234,EUR,2026-11-14'), '--out', out, '--yes');
    expect(stdout).toContain('1.234 is read as 1.234. If it is 1234, write decimal: comma in the mapping.');
    expect(parseMapping('m', readFileSync(out, 'utf8')).columns).toMatchObject({
      reference: 'Händlerreferenz',
      providerReference: 'PSP-Referenz',
    });
  });

  it('writes out control characters of a column in the menu', async () => {
    const column = 'Dev\u0007\u001B[2Jisen';
    const file = csv(`Buchungsdatum;Betrag;${column};Referenz`, '14.11.2026;10,00;EUR;inv-1');
    const out = join(folder, 'escapes.yaml');
    const tty = await paydeskTty(['reconcile', 'map', file, '--out', out], { home: folder });
    await tty.waitFor('Which column has the currency?');
    await tty.waitFor('navigate');
    tty.press('enter');
    await tty.waitFor('Write ');
    tty.press('enter');
    expect(await tty.ended()).toBe(0);
    const shown = tty.raw();
    expect(shown).not.toContain('\u001B[2Jisen');
    expect(shown).toContain('❯ Dev\\u{7}\\u{1b}[2Jisen');
    expect(parseMapping('m', readFileSync(out, 'utf8'))).toMatchObject({ columns: { currency: column } });
  });

  it('says of a file in another encoding only that', async () => {
    const file = csv('x');
    writeFileSync(file, Buffer.from('Betrag;W\u00E4hrung;Referenz\n1,00;EUR;\u0081\n', 'latin1'));
    const { code, json } = await map(file, '--yes', '--json');
    expect(code).toBe(2);
    expect(json['error']?.['details']).toEqual([
      { input: 'line 1', problem: expect.stringContaining('not UTF-8') },
    ]);
  });

  it('reads what Excel saves on a German Windows, and says so', async () => {
    const file = csv('x');
    writeFileSync(file, windows1252('Betrag;Währung;Gebühr;Referenz\r\n1.234,50;EUR;0,30;für-niemand\r\n'));
    const out = file.replace('.csv', '.german.yaml');
    const { code, json, stderr } = await map(file, '--out', out, '--yes', '--json');
    expect([code, json['lines']]).toEqual([
      0,
      [expect.objectContaining({ amount: 1234.5, fee: 0.3, reference: 'für-niemand' })],
    ]);
    expect(stderr).toContain('The file is not UTF-8, so paydesk reads it as Windows-1252.');
  });
});

describe('a guessed mapping', () => {
  it('reads back every amount, sign and date of a file in any of the usual styles', async () => {
    const row = fc.record({
      cents: fc.integer({ min: 1, max: 10 ** 9 }),
      refund: fc.boolean(),
      day: fc.integer({ min: 13, max: 28 }),
      month: fc.integer({ min: 1, max: 12 }),
    });
    const style = fc.record({
      comma: fc.boolean(),
      unsigned: fc.boolean(),
      american: fc.boolean(),
      separator: fc.constantFrom(';', '\t'),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 2, maxLength: 20 }),
        style,
        async (rows, { comma, unsigned, american, separator }) => {
          const two = (value: number) => String(value).padStart(2, '0');
          const exact = ({ cents, refund }: (typeof rows)[number]) =>
            `${refund ? '-' : ''}${Math.floor(cents / 100)}.${two(cents % 100)}`;
          const written = (each: (typeof rows)[number]) => {
            const amount = unsigned ? exact(each).replace('-', '') : exact(each);
            return comma ? amount.replace('.', ',') : amount;
          };
          const date = ({ day, month }: (typeof rows)[number]) =>
            american ? `${two(month)}/${two(day)}/2026` : `${two(day)}.${two(month)}.2026`;
          const header = ['Date', 'Type', 'Amount', 'Currency', 'Reference'];
          const cells = rows.map((each, index) => [
            date(each),
            each.refund ? 'Refund' : 'Sale',
            written(each),
            'EUR',
            `r${index}`,
          ]);
          const { text, missing, notes } = guessMapping({ header, rows: cells });
          expect([missing, notes]).toEqual([[], []]);
          const problems = createFileProblems();
          const source = (async function* () {
            yield Buffer.from([header, ...cells].map((line) => line.join(separator)).join('\n'));
          })();
          const lines = (
            await Array.fromAsync(createCsvReader(parseMapping('m', text))(source, problems))
          ).flat();
          problems.throwIfAny();
          expect(lines.map(({ kind, amount, at }) => [kind, amount, at])).toEqual(
            rows.map((each) => [
              each.refund ? 'refund' : 'capture',
              exact(each),
              `2026-${two(each.month)}-${two(each.day)}`,
            ]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });
});
