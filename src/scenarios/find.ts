// Which scenarios are meant: files, folders, and names of those that ship with paydesk.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { paydesk } from '../next-command.js';
import { UsageError } from '../errors.js';
import { suggest } from '../suggest.js';
import { readScenario, type Scenario } from './read.js';

/** The scenarios that ship, by name. */
interface ShippedScenarios {
  names(): string[];
  text(name: string): string;
}

interface ScenarioText {
  /** As it was given, or the name of a shipped one. */
  file: string;
  text: string;
}

const isYaml = (name: string): boolean => /\.ya?ml$/i.test(name);

export function findScenarios(given: readonly string[], shipped: ShippedScenarios): ScenarioText[] {
  return given.flatMap((name) => {
    const at = statSync(name, { throwIfNoEntry: false });
    if (at?.isDirectory()) return inFolder(name);
    if (at) return [{ file: name, text: readFileSync(name, 'utf8') }];
    if (shipped.names().includes(name)) return [{ file: name, text: shipped.text(name) }];
    throw notFound(name, shipped.names());
  });
}

function inFolder(folder: string): ScenarioText[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(isYaml).sort();
  if (names.length === 0) throw new UsageError(`${folder} contains no scenarios.`, { code: 'no-scenario' });
  return names.map((name) => {
    const file = join(folder, name);
    return { file, text: readFileSync(file, 'utf8') };
  });
}

function notFound(name: string, names: readonly string[]): UsageError {
  const close = suggest(name, names);
  const hint = close === undefined ? '' : ` Did you mean ${close}?`;
  return new UsageError(`There is no file and no scenario called ${name}.${hint}`, {
    code: 'no-scenario',
    next: [paydesk('scenario', 'list')],
  });
}

/** Reads them all. The problems of all of them are reported at once, and nothing is run. */
export function readScenarios(
  texts: readonly ScenarioText[],
  set: Readonly<Record<string, string>>,
): Scenario[] {
  const read = texts.map(({ file, text }) => ({ file, ...readScenario(file, text, set) }));
  const details = read.flatMap(({ file, problems }) =>
    problems.map(({ line, column, problem }) => ({ input: `${file}:${line}:${column}`, problem })),
  );
  const settable = new Set(read.flatMap((each) => each.settable));
  const isReadable = read.every(({ problems }) => problems.length === 0);
  for (const name of isReadable ? Object.keys(set) : []) {
    if (settable.has(name)) continue;
    const close = suggest(name, settable);
    details.push({
      input: `--set ${name}`,
      problem: close === undefined ? 'no scenario has this name under set' : `did you mean ${close}?`,
    });
  }
  if (details.length === 0) return read.flatMap(({ scenario }) => scenario ?? []);
  const many = details.length === 1 ? 'There is a problem' : `There are ${details.length} problems`;
  throw new UsageError(`${many} in the scenarios. Nothing was run.`, { code: 'bad-scenario', details });
}

/** What ships, by name. */
export function listShipped(
  shipped: ShippedScenarios,
): Array<{ name: string; title: string; steps: number }> {
  return shipped.names().map((name) => {
    const { scenario } = readScenario(name, shipped.text(name));
    return { name, title: scenario?.name ?? '', steps: scenario?.steps.length ?? 0 };
  });
}
