import { existsSync } from 'node:fs';

/** `northbank-2.yaml` for `northbank.yaml`. */
export function unusedName(file: string): string {
  const [, stem = file, extension = ''] = /^(.+?)((?:\.map)?\.[^./\\]+)$/.exec(file) ?? [];
  for (let number = 2; ; number += 1) {
    const name = `${stem}-${number}${extension}`;
    if (!existsSync(name)) return name;
  }
}
