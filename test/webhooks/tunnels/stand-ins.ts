// Small programs that write what the real ones are documented to write. The real ones cannot be run in these tests.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../helpers/sandbox.js';

export interface StandIn {
  env: Record<string, string>;
  /** The words that it was called with, once it is. */
  args(): Promise<string[]>;
  pid(): number;
  remove(): void;
}

/** A program of this name that writes lines (`stdout: …`, `stderr: …`) and stays, or leaves with a code. */
export function standIn(name: string, lines: string[], options: { exit?: number } = {}): StandIn {
  const folder = mkdtempSync(join(tmpdir(), 'paydesk-stand-in-'));
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const said = lines.map((line) => {
    const [, stream, text = ''] = /^(stdout|stderr): (.*)$/s.exec(line) ?? [];
    return `printf '%s' ${quoted(text)}${stream === 'stderr' ? ' >&2' : ''}`;
  });
  writeFileSync(
    join(folder, name),
    [
      '#!/bin/sh',
      `for word in "$@"; do printf '%s\\n' "$word"; done > ${quoted(join(folder, 'args.new'))}`,
      `mv ${quoted(join(folder, 'args.new'))} ${quoted(join(folder, 'args'))}`,
      `echo $$ > ${quoted(join(folder, 'pid'))}`,
      ...said,
      options.exit === undefined ? 'exec sleep 1000' : `exit ${options.exit}`,
    ].join('\n'),
  );
  chmodSync(join(folder, name), 0o755);
  return {
    env: { PATH: `${folder}:${process.env['PATH']}` },
    async args() {
      const args = await eventually(() => readFileSync(join(folder, 'args'), 'utf8'));
      return args.trimEnd().split('\n');
    },
    pid: () => Number(readFileSync(join(folder, 'pid'), 'utf8')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
