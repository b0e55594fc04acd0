// The result of scenarios for CI: a test for each, with what was expected and what happened.

import type { ScenarioResult } from '../../scenarios/run.js';
import { plainMarkup } from '../html.js';
import { renderLine, type ViewContext } from '../lines.js';
import { safeText } from '../text.js';
import { plainTheme } from '../theme.js';
import { failureView } from './scenarios.js';

const PLAIN_CONTEXT: ViewContext = { terminal: false, width: 120, now: new Date(0) };

export function scenarioJunit(results: readonly ScenarioResult[]): string {
  const failures = results.filter(({ failure }) => failure !== undefined).length;
  const counts = `tests="${results.length}" failures="${failures}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `<testsuite name="paydesk scenarios" ${counts}>`,
    ...results.map(testCase),
    '</testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(result: ScenarioResult): string {
  const { scenario, failure } = result;
  const open = plainMarkup`<testcase classname="${safeText(scenario.file)}" name="${safeText(scenario.name)}">`;
  if (!failure) return `${open}</testcase>`;
  const message = failure.differences.map(({ what }) => what).join(', ');
  const text = failureView(result, PLAIN_CONTEXT)
    .map((line) => renderLine(line, plainTheme))
    .join('\n');
  const title = `step ${failure.step}, ${failure.title}: not as expected: ${message}`;
  return `${open}\n${plainMarkup`<failure type="expectation" message="${safeText(title)}">${text}</failure>`}\n</testcase>`;
}
