// Parts of queries on intents that statements have as text.

import { sql } from 'kysely';
import type { Outcome } from './operations.js';
import { LAST_OUTCOME, MAY_HAVE_LEFT } from './statements.js';

export const lastOutcome = sql<Outcome | null>`${sql.raw(LAST_OUTCOME)}`;

export const mayHaveLeft = sql<boolean>`${sql.raw(MAY_HAVE_LEFT)}`;
