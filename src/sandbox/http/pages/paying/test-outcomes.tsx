import type { Child } from 'hono/jsx';
import { accountNumber, cardNames, outcomeNames, testCards, type CardName } from '../../../domain/cards.js';
import type { ProviderProfileRow } from '../../../schema.js';
import { Form } from '../form.js';
import { methodNames } from '../method-names.js';
import { plain } from '../text.js';
import { groupCardDigits } from './typed-values.js';

interface Choice {
  outcome: CardName;
  number?: string;
  summary: string;
}

interface TestOutcomesProps {
  action: string;
  token: string;
  choices: Choice[];
  /** What can be paid with; without any, the page already knows. */
  profiles?: ProviderProfileRow[];
  hint?: string | undefined;
  children?: Child;
}

/**
 * How a payment may be made to end here, one click each. A drawer of its own, after everything that a customer needs:
 * closed, it costs one line and one stop of the Tab key.
 */
export function TestOutcomes({ action, token, choices, profiles = [], hint, children }: TestOutcomesProps) {
  const [only, ...others] = profiles;
  return (
    <details class="tests" id="tests">
      <summary>
        <h2>Test outcomes</h2>
        <span class="muted small">Pay in one click</span>
      </summary>
      <div class="stack">
        <div class="field" hidden>
          <label for="find-outcome">Find an outcome</label>
          <input type="search" id="find-outcome" autocomplete="off" placeholder="declined, slow, 4242 …" />
        </div>
        {hint !== undefined && <p class="hint">{hint}</p>}
        <Form action={action} token={token} class="stack">
          {only && others.length === 0 && (
            <input type="hidden" name="profile" value={String(only.payment_profile_id)} />
          )}
          {others.length > 0 && <PayWith profiles={profiles} />}
          {children}
          <ul class="quiet-list outcomes">
            {choices.map(({ outcome, number, summary }) => (
              <li>
                <button name="outcome" value={outcome} data-busy="Sending …">
                  <strong>{outcome}</strong>
                  {number !== undefined && <span class="mono num">{number}</span>}
                  <span class="muted small">{summary}</span>
                </button>
              </li>
            ))}
          </ul>
          <p class="muted" id="no-outcome" role="status"></p>
        </Form>
      </div>
    </details>
  );
}

function PayWith({ profiles }: { profiles: ProviderProfileRow[] }) {
  return (
    <div class="field">
      <label for="test-profile">Pay with</label>
      <select id="test-profile" name="profile">
        {profiles.map(({ payment_profile_id: id, method_type: type, name }) => (
          <option value={String(id)}>{`${methodNames[type] ?? type}: ${plain(name)}`}</option>
        ))}
      </select>
    </div>
  );
}

/** What can be chosen for these providers: only a card can do everything. */
export function outcomesFor(profiles: readonly ProviderProfileRow[]): { choices: Choice[]; hint?: string } {
  const offers = (type: string) => profiles.some(({ method_type }) => method_type === type);
  const [cards, accounts] = [offers('CreditCard'), offers('ElectronicCheck')];
  if (!cards) return { choices: outcomeNames.map((name) => choiceOf(name, accounts && accountNumber(name))) };
  return {
    choices: cardNames.map((name) => choiceOf(name, groupCardDigits(testCards[name].number))),
    ...(accounts && { hint: 'The number of a test account is the last ten digits of the card number.' }),
  };
}

const choiceOf = (outcome: CardName, number: string | false): Choice => ({
  outcome,
  ...(number !== false && { number }),
  summary: testCards[outcome].summary,
});
