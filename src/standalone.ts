// The start of the executable that needs no Node: the same program, with its files inside it as assets.

import { getAsset, getAssetKeys } from 'node:sea';
import type { CommandClass, Manifest, PackageFile } from './cli/runtime/program.js';
import { start } from './start.js';

/** `load` gives the exports of a module by the name of its asset. */
export async function startStandalone(load: (name: string) => unknown): Promise<void> {
  const names = new Set(getAssetKeys());
  const fileOf = (id: string): string | undefined => {
    const file = `commands/${id.replaceAll(':', '/')}`;
    return [`${file}.js`, `${file}/index.js`].find((name) => names.has(name));
  };
  const json = (name: string): unknown => JSON.parse(getAsset(name, 'utf8'));

  await start({
    self: [process.execPath],
    has: (id) => fileOf(id) !== undefined,
    load: (id) => (load(fileOf(id) as string) as { default: CommandClass }).default,
    packageFile: () => json('package.json') as PackageFile,
    manifest: () => json('oclif.manifest.json') as Manifest,
    threadFile: () => undefined,
    scenarios: {
      names: () =>
        Array.from(names, (name) => /^scenarios\/([\w-]+)\.yaml$/.exec(name)?.[1])
          .filter((name) => name !== undefined)
          .sort(),
      text: (name) => getAsset(`scenarios/${name}.yaml`, 'utf8'),
    },
  });
}
