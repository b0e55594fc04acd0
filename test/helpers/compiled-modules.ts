import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const source = `${root}src${sep}`;
export const compiledFolder = join(root, 'dist');

/**
 * Modules of the program are loaded by Node itself, as the global setup has compiled them. Loaded by Vite, each use of an
 * import goes through a getter, and the whole run takes a tenth longer.
 */
export const compiledModules = {
  name: 'compiled-modules',
  enforce: 'pre' as const,
  resolveId(imported: string, importer: string | undefined) {
    if (importer === undefined || !imported.startsWith('.')) return null;
    const file = resolve(dirname(importer), imported);
    if (!file.startsWith(source)) return null;
    const compiled = file.slice(source.length).replace(/\.tsx?$/, '.js');
    return join(compiledFolder, compiled);
  },
};
