import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const json = (path: string): unknown => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));

interface Locked {
  dev?: boolean;
  link?: boolean;
  inBundle?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

it('an install cannot float: what is not in the tarball is named by one version', () => {
  const { packages } = json('package-lock.json') as { packages: Record<string, Locked> };
  const needed = Object.entries(packages).filter(
    ([path, { dev, link }]) => !dev && !link && !path.startsWith('test/'),
  );
  const inTarball = needed.flatMap(([path, { inBundle }]) =>
    inBundle ? [path.split('node_modules/').at(-1)] : [],
  );
  expect(inTarball).toContain('open');
  const fetched = needed
    .filter(([, { inBundle }]) => !inBundle)
    .flatMap(([, { dependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...optionalDependencies }),
    )
    .filter(([name]) => !inTarball.includes(name));
  expect(fetched.map(([name]) => name)).toContain('@napi-rs/keyring');
  expect(fetched.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('the tarball has its licence, its changes and how to report a vulnerability, and no sources', async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: root, maxBuffer: 16 * 1024 * 1024 });
  const [packed] = JSON.parse(stdout) as [{ files: Array<{ path: string }> }];
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'CHANGELOG.md',
      'SECURITY.md',
      'README.md',
      'node_modules/open/package.json',
    ]),
  );
  expect(paths.filter((path) => /^(src|test|docs|bench)\//.test(path))).toEqual([]);
  expect(json('package.json')).toMatchObject({ license: 'MIT' });
});
