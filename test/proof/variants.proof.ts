import { describe } from 'vitest';
import { answerVariants } from '../../src/sandbox/answers.js';
import { everyCommandWorks } from '../every-command/answers.js';

const others = Object.entries(answerVariants).flatMap(([name, [, ...rest]]) =>
  rest.map((variant) => ({ [name]: variant })),
);

describe.each(others)('with answers %j', everyCommandWorks);
