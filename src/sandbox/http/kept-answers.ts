import type { StatementStore } from '../../store/store.js';
import type { ShapedAnswer } from '../answers.js';

const MAX_KEPT = 2_000;

type KeptAnswers = (key: string, make: () => Promise<ShapedAnswer>) => Promise<ShapedAnswer>;

/** Answers to reads, until the next commit: up to then each would be the same. None is kept of a shared database. */
export function createKeptAnswers({ beforeCommit }: Pick<StatementStore, 'beforeCommit'>): KeptAnswers {
  if (!beforeCommit) return (_key, make) => make();
  let kept = new Map<string, ShapedAnswer>();
  beforeCommit(() => {
    kept = new Map();
  });
  return async (key, make) => {
    // If a commit comes while the answer is made, nobody finds it: it may be of before the commit.
    const found = kept;
    let answer = found.get(key);
    if (!answer) {
      answer = await make();
      if (found.size >= MAX_KEPT) found.clear();
      found.set(key, answer);
    }
    // Each request adds headers of its own.
    return { ...answer, headers: { ...answer.headers } };
  };
}
