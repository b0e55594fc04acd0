/** What `npm run build:standalone` puts into the executable. */
declare module 'paydesk:parts' {
  import type { CommandClass, Manifest, PackageFile } from './cli/program.js';

  export const commands: Record<string, () => { default: CommandClass }>;
  export const manifest: Manifest;
  export const packageFile: PackageFile;
}
