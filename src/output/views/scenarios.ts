// How scenarios ended: a line for each, and for one that failed what was expected, what was found and what happened.

import { counted, countText } from '../../contract/amount-format.js';
import type { JsonValue } from '../../contract/json.js';
import { isJsonNumber, numberJson, numberText } from '../../contract/json.js';
import type { StepFailure, ScenarioResult, ScenarioEvent } from '../../scenarios/run.js';
import { joinPieces, type Line, type ViewContext, plainLine, toned, type View, wrapLine } from '../lines.js';
import type { ListView } from '../rows.js';
import { displayWidth, pad, safeJson } from '../text.js';
import { tookTime } from '../time.js';

interface ScenarioRun {
  results: ScenarioResult[];
  ms: number;
}

const isPassed = ({ failure }: ScenarioResult): boolean => failure === undefined;

export const scenarioResults: ListView<ScenarioResult> = {
  empty: 'There are no scenarios.',
  columns: [
    { key: 'result', value: (result) => (isPassed(result) ? 'passed' : 'failed') },
    { key: 'name', value: ({ scenario }) => scenario.name },
    { key: 'file', value: ({ scenario }) => scenario.file },
    { key: 'steps', number: true, value: ({ steps }) => String(steps) },
  ],
};

export const scenarioRunView: View<ScenarioRun> = ({ results, ms }, context) => [
  ...results.flatMap((result) => [titleLine(result), ...failureView(result, context)]),
  '',
  countLine(results, ms),
];

function titleLine(result: ScenarioResult): Line {
  const mark = isPassed(result) ? toned('good', '✓') : toned('bad', '✗');
  return joinPieces(mark, ` ${result.scenario.name}`);
}

function countLine(results: readonly ScenarioResult[], ms: number): Line {
  const failed = results.filter((result) => !isPassed(result)).length;
  const passed = `${results.length - failed} passed`;
  const failures = failed === 0 ? [] : [', ', toned('bad', `${failed} failed`)];
  return joinPieces(toned('good', passed), ...failures, ` in ${tookTime(ms)}`);
}

/** What went wrong, and how it came to that; nothing for one that passed. */
export const failureView: View<ScenarioResult> = ({ scenario, failure, timeline }, context) => {
  if (!failure) return [];
  const { line, column } = failure.position;
  return [
    `  ${scenario.file}:${line}:${column}, step ${failure.step}: ${failure.title}`,
    '',
    ...differenceLines(failure, context),
    ...errorLines(failure, context),
    '',
    '  What happened',
    ...timeline.flatMap((entry, index) => entryLines(entry, timeline[index - 1], context)),
    '',
  ];
};

function valueText(value: JsonValue): string {
  if (value === null) return '(none)';
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return numberText(value);
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : value.map(valueText).join(', ');
  return safeJson(value);
}

const GAP = 2;

/** Expected and actual side by side; one below the other where the terminal is too narrow. */
function differenceLines({ differences }: StepFailure, { width }: ViewContext): Line[] {
  const names = Math.max(...differences.map(({ what }) => displayWidth(what)));
  const room = Math.floor((width - 4 - names - 2 * GAP) / 2);
  const rows = differences.map(({ what, expected, actual }) => ({
    what,
    expected: valueText(expected),
    actual: valueText(actual),
  }));
  const widest = Math.max(8, ...rows.map(({ expected }) => displayWidth(expected)));
  if (room < 16) {
    return rows.flatMap(({ what, expected, actual }) => [
      `    ${what}`,
      ...wrapLine(expected, width - 16).map((part, index) =>
        joinPieces(index === 0 ? '      expected  ' : ' '.repeat(16), part),
      ),
      ...wrapLine(actual, width - 16).map((part, index) =>
        joinPieces(index === 0 ? '      actual    ' : ' '.repeat(16), toned('bad', plainOf(part))),
      ),
    ]);
  }
  const left = Math.min(widest, room);
  const row = (what: string, expected: string, actual: string, tone?: 'bad'): Line =>
    joinPieces(`    ${pad(what, names)}  ${pad(expected, left)}  `, toned(tone, actual));
  return [
    joinPieces(toned('dim', `    ${pad('', names)}  ${pad('expected', left)}  actual`)),
    ...rows.flatMap(({ what, expected, actual }) => {
      const wanted = wrapLine(expected, left).map(plainOf);
      const found = wrapLine(actual, width - 4 - names - left - 2 * GAP).map(plainOf);
      return Array.from({ length: Math.max(wanted.length, found.length) }, (_, index) =>
        row(index === 0 ? what : '', wanted[index] ?? '', found[index] ?? '', 'bad'),
      );
    }),
  ];
}

const plainOf = (line: Line): string => plainLine(line);

function errorLines({ error }: StepFailure, { width }: ViewContext): Line[] {
  if (!error) return [];
  const [first = '', ...rest] = error.message.split('\n');
  const text = [`The step ended with ${error.code} (exit ${error.exit}): ${first}`, ...rest];
  return ['', ...text.flatMap((each) => wrapLine(each, width - 4)).map((part) => joinPieces('    ', part))];
}

const marks: Readonly<Record<ScenarioEvent['kind'], string>> = {
  step: '',
  state: 'service  ',
  provider: 'provider ',
  webhook: 'webhook  ',
};

const TIME = 19;
/** Below this width a time gets a line of its own. */
const NARROW_WIDTH = 70;

/** The time is shown where it changes. */
function entryLines(entry: ScenarioEvent, before: ScenarioEvent | undefined, { width }: ViewContext): Line[] {
  const time = entry.time === before?.time ? '' : entry.time.slice(0, TIME).replace('T', ' ');
  const isNarrow = width < NARROW_WIDTH;
  const column = isNarrow ? 0 : TIME;
  const isStep = entry.kind === 'step';
  const prefix = isStep ? `${String(entry.step).padStart(3)} ` : `      ${marks[entry.kind]}`;
  const payment = entry.payment === undefined ? '' : `${entry.payment} `;
  const room = Math.max(20, width - 6 - column - prefix.length);
  const lines = wrapLine(`${payment}${entry.text}`, room).map((part, index) =>
    joinPieces(
      toned('dim', `    ${pad(index === 0 ? time : '', column).slice(0, column)}`),
      index === 0 ? prefix : ' '.repeat(prefix.length),
      isStep ? part : toned('dim', plainOf(part)),
    ),
  );
  return isNarrow && time !== '' ? [joinPieces(toned('dim', `    ${time}`)), ...lines] : lines;
}

/** As `--json` prints it: nothing that differs between two runs with the same seed. */
function scenarioJson({ scenario, seed, steps, failure, timeline }: ScenarioResult) {
  return {
    name: scenario.name,
    file: scenario.file,
    seed,
    passed: failure === undefined,
    steps,
    ...(failure && { failure }),
    timeline: timeline.map((entry) => ({ ...entry, payment: numberJson(entry.payment) })),
  };
}

export function runJson(results: readonly ScenarioResult[]) {
  const passed = results.filter(isPassed).length;
  return { passed, failed: results.length - passed, scenarios: results.map(scenarioJson) };
}

/** A shipped scenario, for `scenario list`. */
export interface ListedScenario {
  name: string;
  title: string;
  steps: number;
}

export const scenarioList: ListView<ListedScenario> = {
  empty: 'No scenarios ship with this build.',
  columns: [
    { key: 'name', whole: true, value: ({ name }) => name },
    { key: 'title', value: ({ title }) => title },
    { key: 'steps', align: 'right', number: true, value: ({ steps }) => String(steps) },
  ],
};

export const failedText = (failed: number, total: number): string =>
  `${countText(failed)} of ${counted(total, 'scenario')} failed.`;
