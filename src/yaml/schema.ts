// Schemas of files that people write in YAML, and what is wrong with a file by line and column.

import * as z from 'zod/mini';
import { suggest } from '../suggest.js';
import type { FileProblem, ParsedYaml, Path } from './positions.js';

/** The message about a value that is missing or of another kind. */
export const required = (kind: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? 'is required' : `must be ${kind}`;

/** The keys that were possible, by the list of those that were not. */
const knownKeys = new WeakMap<readonly string[], readonly string[]>();

/** A mapping with these keys and no others. */
export const strictMapping = <Shape extends z.core.$ZodShape>(shape: Shape) => {
  const keys = Object.keys(shape).filter((key) => !(shape[key] instanceof z.ZodMiniOptional));
  const needed = keys.length === 0 ? '' : ` with ${keys.join(', ')}`;
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== 'unrecognized_keys') return required(`a mapping${needed}`)(issue);
      knownKeys.set(issue.keys, Object.keys(shape));
      return 'unknown key';
    },
  });
};

/** What a schema finds fault with, at its place in the file. */
export function issueProblems(issue: z.core.$ZodIssue, yaml: ParsedYaml, prefix: Path = []): FileProblem[] {
  const path = [...prefix, ...(issue.path as Path)];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = knownKeys.get(issue.keys) ?? [];
      const close = suggest(key, known);
      const hint = close === undefined ? `use one of ${known.join(', ')}` : `did you mean ${close}?`;
      return { ...yaml.keyAt([...path, key]), problem: `unknown key ${key}; ${hint}` };
    });
  }
  if (issue.code === 'invalid_union') {
    // The alternative that the value was meant to be: the one whose kind fits.
    const meant = issue.errors.find((issues) =>
      issues.every(({ code, path: at }) => at.length > 0 || code === 'unrecognized_keys'),
    );
    if (meant) return meant.flatMap((inner) => issueProblems(inner, yaml, path));
  }
  const key = path.at(-1);
  if (key === undefined) return [{ ...yaml.at(path), problem: 'the file must be a mapping' }];
  return [{ ...yaml.at(path), problem: `${String(key)} ${issue.message}` }];
}
