import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { killChildrenAfterEach, startChild } from './child.js';
import { describeFile, describeShared } from './fixtures.js';

killChildrenAfterEach();

describeShared('several processes', ({ location, open }) => {
  test('lose no update on the same database', async () => {
    const address = await location();
    const store = await open(address);
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'shared', value: 0 }).execute());
    const children = [1, 2].map(() => startChild({ location: address }, 'count-up'));
    const answers = await Promise.all(children.map((child) => child.rest()));
    expect(answers).toEqual([
      ['open', 'closed'],
      ['open', 'closed'],
    ]);
    expect(await store.db.selectFrom('counter').select('value').execute()).toMatchObject([{ value: 400 }]);
    expect(store.shared).toBe(true);
  });

  test('keep what was answered when one is killed', async () => {
    const address = await location();
    const child = startChild({ location: address, exclusive: true }, 'insert-forever');
    expect(await child.answer()).toBe('open');
    const told: unknown[] = [];
    while (told.length < 150) told.push(await child.answer());
    child.process.kill('SIGKILL');
    told.push(...(await child.rest()));
    const store = await open(address, { exclusive: true });
    const rows = await store.db.selectFrom('payment').select(['id', 'reference']).execute();
    const stored = new Map(rows.map((row) => [row.reference, row.id]));
    for (const each of told as { id: number; reference: string }[]) {
      expect(stored.get(each.reference)).toBe(each.id);
    }
  });
});

describeFile('an exclusive file', ({ location, open }) => {
  test('is refused to others with a message that says who has it', async () => {
    const file = await location();
    const owner = { pid: 4711, url: 'http://127.0.0.1:4010' };
    const child = startChild({ location: file, exclusive: true, owner }, 'serve');
    expect(await child.answer()).toBe('open');
    const held = {
      code: 'store-held',
      message: expect.stringMatching(
        /test\.db is in use .*pid 4711, url http:\/\/127\.0\.0\.1:4010, since 20/,
      ),
    };
    const began = performance.now();
    await expect(open(file, { exclusive: true })).rejects.toMatchObject(held);
    await expect(open(file)).rejects.toMatchObject(held);
    expect(performance.now() - began).toBeLessThan(10_000);

    await child.kill('SIGKILL');
    const store = await open(file, { exclusive: true });
    expect(store.shared).toBe(false);
  });

  test('is read as it is after each commit, and reads do not keep its log from being written back', async () => {
    const file = await location();
    const store = await open(file, { exclusive: true });
    const read = () => store.db.selectFrom('counter').select('value').execute();
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'long', value: 0 }).execute());
    const body = new Uint8Array(20_000);
    for (let value = 1; value <= 600; value += 1) {
      await store.transaction(async (tx) => {
        await tx
          .insertInto('payment')
          .values({ reference: String(value), body })
          .execute();
        await tx.updateTable('counter').set({ value }).execute();
        // What is not committed is not seen.
        expect(await read()).toMatchObject([{ value: value - 1 }]);
      });
      expect(await read()).toMatchObject([{ value }]);
    }
    // It is written back whenever it has a thousand pages of 4 KiB; all that was written is 14 MB.
    expect(statSync(`${file}-wal`).size).toBeLessThan(6_000_000);
  });

  test('is refused to the same process too, and free again after close', async () => {
    const file = await location();
    const store = await open(file, { exclusive: true, owner: { pid: 1 } });
    expect(JSON.parse(readFileSync(`${file}.owner.json`, 'utf8'))).toMatchObject({ pid: 1 });
    await expect(open(file, { exclusive: true })).rejects.toMatchObject({ code: 'store-held' });
    await store.close();
    expect(existsSync(`${file}.owner.json`)).toBe(false);
    await open(file);
  });
});

describeFile('a file', ({ location, open }) => {
  test('that cannot be opened is named', async () => {
    const file = await location();
    const missing = join(dirname(file), 'nowhere', 'x.db');
    await expect(open(missing)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining(missing),
    });
    writeFileSync(file, 'this is not a database, but it is long enough to be taken for one'.repeat(20));
    await expect(open(file, { exclusive: true })).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining(file),
    });
  });

  test.each([true, false])(
    'that is a folder is refused, and nothing is made beside it (exclusive: %s)',
    async (exclusive) => {
      const folder = join(dirname(await location()), 'folder');
      mkdirSync(folder);
      chmodSync(folder, 0o777);
      symlinkSync(folder, `${folder}.link`);
      for (const named of [folder, `${folder}.link`]) {
        await expect(open(named, { exclusive })).rejects.toMatchObject({
          code: 'store-unusable',
          message: `${folder} is a folder, and the database must be a file. Nothing was written. Name a file instead, or move the folder away.`,
          fix: [],
        });
      }
      expect(readdirSync(dirname(folder))).toEqual(['folder', 'folder.link']);
    },
  );

  test('on a full disk fails for the moment and works again once there is room', async () => {
    const file = await location();
    // A limit on the size of files stands in for the disk, and can be lifted while the process runs.
    const child = startChild({ location: file, exclusive: true }, 'serve', [
      'prlimit',
      '--fsize=1000000:unlimited',
    ]);
    expect(await child.answer()).toBe('open');
    const kept: string[] = [];
    const full = { error: 'store-unavailable', message: expect.stringContaining(file) };
    const insertThree = async (name: string) => {
      child.send(name);
      const answers = (await child.answer()) as { id?: number }[];
      kept.push(...answers.flatMap((answer, n) => (answer.id === undefined ? [] : [`${name}-${n + 1}`])));
      return answers;
    };
    let answers: unknown[] = [{ id: 0 }];
    for (let n = 0; n < 100 && !answers.some((answer) => Object.hasOwn(answer as object, 'error')); n++) {
      answers = await insertThree(`before${n}`);
    }
    // The three were waiting together, so they were to be committed together.
    expect(answers).toEqual([full, full, full]);
    expect(await insertThree('still-full')).toEqual([full, full, full]);
    expect(kept.length).toBeGreaterThan(2);

    execFileSync('prlimit', ['--pid', String(child.process.pid), '--fsize=unlimited']);
    expect(await insertThree('after')).toHaveLength(3);
    expect(kept.slice(-3)).toEqual(['after-1', 'after-2', 'after-3']);
    await child.kill('SIGKILL');

    const store = await open(file);
    const rows = await store.db.selectFrom('payment').select('reference').orderBy('id').execute();
    expect(rows.map((row) => row.reference)).toEqual(kept);
  });
});

describeFile('a file that cannot be trusted', ({ location, open }) => {
  const made = async () => {
    const file = await location();
    const store = await open(file, { exclusive: true });
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'a', value: 1 }).execute());
    await store.close();
    return file;
  };

  test.each([true, false])('is refused under a second name (exclusive: %s)', async (exclusive) => {
    const file = await made();
    const child = startChild({ location: file, exclusive: true }, 'serve');
    expect(await child.answer()).toBe('open');
    const other = `${file}.other`;
    linkSync(file, other);
    await expect(open(other, { exclusive })).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('has 2 names (hard links)'),
      fix: [
        ['cp', other, `${other}.copy`],
        ['mv', `${other}.copy`, other],
      ],
    });
    await child.kill('SIGKILL');
    rmSync(other);
    await open(file, { exclusive });
  });

  test('is held through a link to it as well', async () => {
    const file = await made();
    await open(file, { exclusive: true });
    symlinkSync(file, `${file}.link`);
    await expect(open(`${file}.link`, { exclusive: true })).rejects.toMatchObject({ code: 'store-held' });
    await expect(open(`${file}.link`)).rejects.toMatchObject({ code: 'store-held' });
  });

  test.each([0o620, 0o602, 0o666])('is refused when others may write to it: %o', async (mode) => {
    const file = await made();
    chmodSync(file, mode);
    await expect(open(file)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('Other users can write'),
      fix: [['chmod', '600', file]],
    });
    chmodSync(file, 0o600);
    await open(file);
  });

  test('is its owner’s alone when it is made through a link that leads nowhere', async () => {
    const file = await location();
    symlinkSync('target.db', file);
    const umask = process.umask(0);
    const store = await open(file, { exclusive: true }).finally(() => process.umask(umask));
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'a', value: 1 }).execute());
    const folder = dirname(file);
    expect(readdirSync(folder)).toContain('target.db-wal');
    for (const name of readdirSync(folder)) {
      expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  test('is made by the next process when the first one was killed before its first write was done', async () => {
    const file = await location();
    writeFileSync(file, '', { mode: 0o600 });
    writeFileSync(`${file}-journal`, '', { mode: 0o600 });
    const store = await open(file);
    await store.transaction((tx) => tx.insertInto('counter').values({ name: 'a', value: 1 }).execute());
    expect(await store.db.selectFrom('counter').selectAll().execute()).toHaveLength(1);
  });

  test('is an error when it was emptied or cut short, and stays as it is', async () => {
    const file = await made();
    const size = statSync(file).size;
    truncateSync(file, size - 4096);
    await expect(open(file)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringContaining('Restore it from a backup'),
    });
    expect(statSync(file).size).toBe(size - 4096);
    truncateSync(file, 50);
    await expect(open(file, { exclusive: true })).rejects.toMatchObject({ code: 'store-unusable' });
    truncateSync(file, 0);
    for (const exclusive of [true, false]) {
      await expect(open(file, { exclusive })).rejects.toMatchObject({
        code: 'store-unusable',
        message: expect.stringContaining('is empty (0 bytes)'),
      });
    }
    expect(statSync(file).size).toBe(0);
  });
});
