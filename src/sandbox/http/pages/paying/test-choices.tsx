import { accountNumber, cardNames, outcomeNames, testCards, type CardName } from '../../../domain/cards.js';
import { groupDigits } from './typed-values.js';

interface Choice {
  outcome: CardName;
  number?: string;
  summary: string;
}

/** How a payment may be made to end here, one click each. They are buttons of the form that they stand in. */
export function TestChoices({ title, choices }: { title: string; choices: Choice[] }) {
  return (
    <details class="tests" open>
      <summary>{title}</summary>
      <ul class="quiet-list">
        {choices.map(({ outcome, number, summary }) => (
          <li>
            <button name="outcome" value={outcome}>
              <strong>{outcome}</strong>
              {number !== undefined && <span class="mono">{number}</span>}
              <span class="muted small">{summary}</span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

export const cardChoices: Choice[] = cardNames.map((outcome) => ({
  outcome,
  number: groupDigits(testCards[outcome].number),
  summary: testCards[outcome].summary,
}));

export const accountChoices: Choice[] = outcomeNames.map((outcome) => ({
  outcome,
  number: accountNumber(outcome),
  summary: testCards[outcome].summary,
}));

/** What a wallet may do besides agreeing. */
export const walletChoices: Choice[] = outcomeNames
  .filter((outcome) => outcome !== 'approved')
  .map((outcome) => ({ outcome, summary: testCards[outcome].summary }));
