import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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

it('the package says its licence', () => {
  expect(json('package.json')).toMatchObject({ license: 'MIT' });
});
