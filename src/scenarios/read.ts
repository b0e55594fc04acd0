// A scenario file, read and checked. Everything that is wrong with it is found before the first step.

import { isDecimal } from '../contract/money.js';
import { suggest } from '../suggest.js';
import { type FileProblem, type ParsedYaml, parseYaml, type Path, type Position } from '../yaml/positions.js';
import { issueProblems } from '../yaml/schema.js';
import { referencesIn, replaceReferences } from './references.js';
import {
  scenario,
  type Expectation,
  type Inputs,
  type ScenarioFile,
  type Step,
  type Verb,
  verbNames,
} from './schema.js';

type Value = string | number | boolean | null;

/** One step: a verb with its input, or expectations alone. */
export interface ReadStep {
  position: Position;
  as: string | undefined;
  /** Absent for a step that only states expectations. */
  verb: Verb | undefined;
  input: Inputs[Verb] | undefined;
  expects: Expectation[];
}

export interface Scenario {
  file: string;
  name: string;
  description: string | undefined;
  seed: number | undefined;
  clock: number | undefined;
  quietPeriod: string | undefined;
  steps: ReadStep[];
}

interface ReadResult {
  scenario: Scenario | undefined;
  problems: FileProblem[];
  /** The names under `set:`, so that a `--set` of none of them can be refused. */
  settable: string[];
}

/** `set` replaces values of the file. */
export function readScenario(
  file: string,
  text: string,
  set: Readonly<Record<string, string>> = {},
): ReadResult {
  const yaml = parseYaml(text);
  if (yaml.problems.length > 0) return { scenario: undefined, problems: yaml.problems, settable: [] };
  const values = valuesOf(yaml.value);
  const replaced = replaceReferences(yaml.value, (name, field) => {
    if (field !== undefined || !Object.hasOwn(values, name)) return undefined;
    return set[name] === undefined ? (values[name] as Value) : typed(set[name], values[name] as Value);
  });
  const parsed = scenario.safeParse(replaced);
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => issueProblems(issue, yaml))),
    ...stepProblems(replaced, yaml),
    ...unknownReferences(replaced, yaml),
  ];
  return {
    scenario: parsed.success ? scenarioOf(file, parsed.data, yaml) : undefined,
    problems: problems.sort((one, other) => one.line - other.line || one.column - other.column),
    settable: Object.keys(values),
  };
}

/** A value of `--set` takes the type of the one that it replaces. */
function typed(text: string, like: Value): Value {
  if (typeof like === 'number' && isDecimal(text)) return Number(text);
  if (typeof like === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function valuesOf(root: unknown): Record<string, unknown> {
  const set = isMapping(root) ? root['set'] : undefined;
  return isMapping(set) ? set : {};
}

/** In the order of the file. */
const verbsIn = (step: object): Verb[] =>
  Object.entries(step).flatMap(([key, value]) => (isVerb(key) && value !== undefined ? [key] : []));
const isVerb = (key: string): key is Verb => (verbNames as string[]).includes(key);

/** What the schema cannot say: one verb per step, one action per verb. */
function stepProblems(root: unknown, yaml: ParsedYaml): FileProblem[] {
  return stepsIn(root).flatMap((step, index) => {
    const path = ['steps', index];
    const found = verbsIn(step);
    const problems: FileProblem[] = [];
    const add = (at: Path, problem: string) => problems.push({ ...yaml.keyAt(at), problem });
    // With an unknown key, that key was meant to be the verb.
    const known = [...verbNames, 'as', 'expect'] as string[];
    const isKnown = Object.keys(step).every((key) => known.includes(key));
    if (found.length === 0 && step['expect'] === undefined && isKnown) {
      add(path, `a step needs one of ${verbNames.join(', ')} or expect`);
    }
    const [first, ...others] = found;
    for (const verb of others) add([...path, verb], `a step does one thing; ${first} is there already`);
    for (const verb of ['clock', 'customers'] as const) {
      const input = step[verb];
      if (isMapping(input) && Object.keys(input).length !== 1) {
        add([...path, verb], `${verb} needs exactly one action`);
      }
    }
    const { fault } = step;
    if (isMapping(fault) && (fault['add'] === undefined) === (fault['clear'] === undefined)) {
      add([...path, 'fault'], 'fault needs either add or clear');
    }
    if (found.length === 0 && isKnown) problems.push(...subjectProblems(step, path, yaml));
    return problems;
  });
}

const stepsIn = (root: unknown): Array<Record<string, unknown>> => {
  const steps = isMapping(root) ? root['steps'] : undefined;
  return Array.isArray(steps) ? steps.map((step: unknown) => (isMapping(step) ? step : {})) : [];
};

/** Without a verb, nothing else says what is expected of what. */
function subjectProblems({ expect }: Record<string, unknown>, path: Path, yaml: ParsedYaml): FileProblem[] {
  const all: unknown[] = Array.isArray(expect) ? expect : expect === undefined ? [] : [expect];
  return all.flatMap((each, number) => {
    if (!isMapping(each) || each['payment'] !== undefined || each['customer'] !== undefined) return [];
    const at = Array.isArray(expect) ? [...path, 'expect', number] : [...path, 'expect'];
    return [{ ...yaml.keyAt(at), problem: 'expect without a verb needs a payment or a customer' }];
  });
}

const expectsOf = ({ expect }: Step): Expectation[] =>
  expect === undefined ? [] : Array.isArray(expect) ? expect : [expect];

/** A name must have been given by `set:` or by `as:` of an earlier step. */
function unknownReferences(root: unknown, yaml: ParsedYaml): FileProblem[] {
  const known = new Set(Object.keys(valuesOf(root)));
  const problems: FileProblem[] = [];
  const look = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      for (const name of referencesIn(value)) {
        if (known.has(name)) continue;
        const close = suggest(name, known);
        const hint = close === undefined ? 'no earlier step has as: ' + name : `did you mean \${${close}}?`;
        problems.push({ ...yaml.at(path), problem: `unknown name \${${name}}; ${hint}` });
      }
    } else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) look(inner, [...path, key]);
    }
  };
  for (const [index, { expect, as, ...rest }] of stepsIn(root).entries()) {
    look(rest, ['steps', index]);
    if (typeof as === 'string') known.add(as);
    look(expect, ['steps', index, 'expect']);
  }
  return problems;
}

function scenarioOf(file: string, data: ScenarioFile, yaml: ParsedYaml): Scenario {
  return {
    file,
    name: data.name,
    description: data.description,
    seed: data.seed,
    clock: data.clock === undefined ? undefined : Date.parse(data.clock),
    quietPeriod: data['quiet-period'],
    steps: data.steps.map((step, index) => {
      const [verb] = verbsIn(step);
      return {
        position: yaml.at(['steps', index]),
        as: step.as,
        verb,
        input: verb && step[verb],
        expects: expectsOf(step),
      };
    }),
  };
}
