import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { isLegal, stateNames, type StateName } from '../../src/contract/states.js';
import { commandText } from '../../src/next-command.js';
import { type Action, movesMoney } from '../../src/support/action.js';
import { conditionOf } from '../../src/support/condition.js';
import { verdictsPage } from './verdicts-page.js';
import { allResults, type CaseResult, nameOf, shownStates } from './verdict-table.js';

let results: CaseResult[];
beforeAll(async () => {
  results = await allResults();
});

/** The cases for which a rule does not hold: none, if the rule is true. */
function violations(applies: (one: CaseResult) => boolean, holds: (one: CaseResult) => boolean): string[] {
  const cases = results.filter(applies);
  // A rule that applies to nothing proves nothing.
  expect(cases.length).toBeGreaterThan(0);
  return cases.filter((one) => !holds(one)).map(nameOf);
}

const every = () => true;
const recommended = ({ explanation }: CaseResult) => explanation.actions.find((action) => action.recommended);
const textOf = (action: Action | undefined) => (action ? commandText(action.command) : '');
const recommendedText = (one: CaseResult) => textOf(recommended(one));
const notDone = ({ last }: CaseResult) => ['failed', 'refused', 'unsent'].includes(last?.outcome ?? '');
const isOpen = ({ last }: CaseResult) => last?.outcome === 'accepted' || last?.outcome === 'unknown';
const stillPossible = ({ last, state }: CaseResult) =>
  last !== undefined && state !== undefined && isLegal(last.operation, state);

it('covers every state, also one that paydesk does not know, with every operation and outcome', () => {
  expect(results).toHaveLength(shownStates.length * (1 + 4 * 6) * 2);
});

describe('every part of the desk says the same', () => {
  it('the list and the explanation', () => {
    // What only the service shows is not in the list: why it was declined, and whether it was authorised.
    const serviceOnly: Array<StateName | undefined> = ['Declined', 'Expired'];
    expect(
      violations(every, ({ listed, explanation, state }) => {
        const { severity, stuck, verdict, actions } = explanation;
        const [first] = actions;
        return (
          listed.verdict.severity === severity &&
          listed.verdict.stuck === stuck &&
          (listed.verdict.text === verdict || serviceOnly.includes(state)) &&
          textOf(listed.recommended) === textOf(first?.recommended ? first : undefined)
        );
      }),
    ).toEqual([]);
  });

  it('list --stuck and the explanation', () => {
    expect(
      violations(every, ({ isListedStuck, explanation }) => isListedStuck === explanation.stuck),
    ).toEqual([]);
  });

  it('the table of several payments and the explanation', () => {
    expect(
      violations(every, (one) => {
        const { severity, verdict } = one.explanation;
        const { bulkRow } = one;
        return (
          bulkRow['severity'] === severity &&
          bulkRow['verdict'] === verdict &&
          bulkRow['next'] === recommendedText(one)
        );
      }),
    ).toEqual([]);
  });

  it('the menu of a guided session and the explanation, and Enter never moves money', () => {
    expect(
      violations(every, (one) => {
        const { choices, start } = one.menu;
        const marked = choices.filter(({ name }) => name.endsWith(' (recommended)'));
        const action = recommended(one);
        return (
          marked.length === (action === undefined ? 0 : 1) &&
          (action === undefined || marked[0]?.name === `${action.title} (recommended)`) &&
          choices.some(({ value }) => value === start) &&
          (start.kind === 'next' || (start.kind === 'act' && !movesMoney(start.action)))
        );
      }),
    ).toEqual([]);
  });
});

describe('an instruction that was not carried out', () => {
  it('is urgent where it failed, in every list, and is to be sent again', () => {
    const applies = (one: CaseResult) => one.last?.outcome === 'failed' && stillPossible(one);
    expect(
      violations(
        applies,
        (one) =>
          one.explanation.severity === 'urgent' &&
          one.isListedStuck &&
          / failed: /.test(one.explanation.verdict) &&
          recommendedText(one) === `paydesk payments ${one.last!.operation} ${one.id} --again`,
      ),
    ).toEqual([]);
  });

  it('needs attention where it was refused or not sent, and waits for the quiet period', () => {
    const applies = (one: CaseResult) =>
      ['refused', 'unsent'].includes(one.last?.outcome ?? '') && stillPossible(one);
    expect(
      violations(
        applies,
        (one) =>
          one.explanation.severity === 'attention' &&
          one.isListedStuck &&
          recommendedText(one) ===
            `paydesk payments ${one.age === 'late' ? one.last!.operation : 'recheck'} ${one.id}`,
      ),
    ).toEqual([]);
  });

  it('is apologised for', () => {
    const isTooLate = ({ last, state }: CaseResult) =>
      last?.operation === 'cancel' && (state === 'Capturing' || state === 'Captured');
    const applies = (one: CaseResult) => notDone(one) && (stillPossible(one) || isTooLate(one));
    expect(
      violations(applies, ({ replies }) => {
        const { en, de, es, fr } = replies;
        return (
          /We are sorry/.test(en) &&
          /tut uns leid|entschuldigen/.test(de) &&
          /[Ll]amentamos|Lo sentimos|Disculpe/.test(es) &&
          /désolés|excuser/.test(fr)
        );
      }),
    ).toEqual([]);
  });

  it('is no longer mentioned once the payment has got there another way', () => {
    const ends: Record<string, StateName> = { capture: 'Captured', refund: 'Refunded', cancel: 'Cancelled' };
    const applies = (one: CaseResult) =>
      notDone(one) && one.state !== undefined && one.state === ends[one.last!.operation];
    expect(
      violations(applies, ({ explanation }) => explanation.severity === 'ok' && !explanation.stuck),
    ).toEqual([]);
  });
});

describe('an instruction whose outcome is not recorded', () => {
  it('is checked, and sent again only after the quiet period', () => {
    expect(
      violations(isOpen, (one) => {
        const command = recommendedText(one);
        if (command.includes('--again')) return false;
        return !command.includes('--resend') || one.age === 'late';
      }),
    ).toEqual([]);
  });

  it('has its own command where it is unknown, and names --resend after the quiet period', () => {
    const applies = (one: CaseResult) => one.last?.outcome === 'unknown' && stillPossible(one);
    expect(
      violations(applies, (one) => {
        const { operation } = one.last!;
        const command = recommendedText(one);
        const resend = `paydesk payments ${operation} ${one.id} --resend`;
        return command === (one.age === 'late' ? resend : `paydesk payments check ${one.id}`);
      }),
    ).toEqual([]);
  });

  it('keeps every other instruction out', () => {
    expect(
      violations(isOpen, ({ explanation, last }) =>
        explanation.actions.filter(movesMoney).every(({ operation }) => operation === last!.operation),
      ),
    ).toEqual([]);
  });
});

describe('a record that contradicts the service', () => {
  it('is a conflict that nobody is told to move money for', () => {
    // A read may lag behind: what shows the operation in progress contradicts nothing.
    const possible: Record<string, StateName[]> = {
      capture: ['Capturing', 'Captured', 'Refunding', 'Refunded'],
      refund: ['Refunding', 'Refunded'],
      cancel: ['Cancelling', 'Cancelled'],
      unhold: stateNames.filter((state) => state !== 'Held'),
    };
    const applies = ({ last, state }: CaseResult) =>
      last?.outcome === 'done' && state !== undefined && possible[last.operation]?.includes(state) === false;
    expect(
      violations(
        applies,
        ({ explanation }) =>
          explanation.severity === 'urgent' &&
          explanation.verdict.startsWith('Conflict: ') &&
          !explanation.actions.some(movesMoney),
      ),
    ).toEqual([]);
  });
});

describe('a reply', () => {
  const mayBeCharged: Array<StateName | undefined> = [
    undefined,
    'Processing',
    'Capturing',
    'Captured',
    'Refunding',
    'Refunded',
  ];

  it('says thank you only where the customer has paid and nothing is open', () => {
    expect(
      violations(
        ({ replies }) => /Thank you/.test(replies.en),
        ({ state, explanation }) =>
          state === 'Captured' && (explanation.severity === 'ok' || explanation.severity === 'attention'),
      ),
    ).toEqual([]);
  });

  it('never says that nothing was charged where something may have been', () => {
    expect(
      violations(
        ({ state }) => mayBeCharged.includes(state),
        ({ replies }) =>
          !/not been charged/.test(replies.en) &&
          !/nichts berechnet/.test(replies.de) &&
          !/cobrado nada/.test(replies.es) &&
          !/ne vous a été débité/.test(replies.fr),
      ),
    ).toEqual([]);
  });

  it('never says that money was refunded or a payment cancelled before it was', () => {
    expect(
      violations(every, ({ replies, state }) => {
        const saysRefunded = /have refunded/.test(replies.en);
        const saysCancelled = /have cancelled/.test(replies.en);
        return (!saysRefunded || state === 'Refunded') && (!saysCancelled || state === 'Cancelled');
      }),
    ).toEqual([]);
  });

  it('promises nothing while nobody knows', () => {
    expect(
      violations(
        ({ explanation }) => /^(Unknown outcome|Conflict|The service shows)/.test(explanation.verdict),
        ({ replies }) => / checking /.test(replies.en) && replies.en.endsWith(' by 17 November 2026.'),
      ),
    ).toEqual([]);
  });

  it('is complete in every language', () => {
    const greetings = { en: 'Hello Ada,', de: 'Hallo Ada,', es: 'Hola, Ada:', fr: 'Bonjour Ada,' };
    const amounts = { en: 'EUR 49.90', de: '49,90\u{a0}€', es: '49,90\u{a0}€', fr: '49,90\u{a0}€' };
    expect(
      violations(every, ({ replies, id }) =>
        Object.entries(replies).every(([language, text]) => {
          const key = language as keyof typeof greetings;
          return (
            text.startsWith(`${greetings[key]}\n\n`) &&
            text.includes(amounts[key]) &&
            text.includes(`inv-${id}`) &&
            /[.!]$/.test(text) &&
            !/undefined|null|NaN|\$\{| {2}/.test(text)
          );
        }),
      ),
    ).toEqual([]);
  });
});

describe('what is offered', () => {
  it('is legal, and never what is called impossible', () => {
    expect(
      violations(every, ({ explanation, state }) => {
        const { actions, notPossible } = explanation;
        const offered = new Set<string>(actions.map(({ operation }) => operation));
        const moves = actions.filter(movesMoney);
        return (
          notPossible.every(({ operation }) => !offered.has(operation)) &&
          moves.every(({ operation }) => state !== undefined && isLegal(operation as 'refund', state))
        );
      }),
    ).toEqual([]);
  });

  // Whether a held payment is safe and an order was shipped is known to the merchant only.
  const isDecision = ({ state, explanation }: CaseResult) =>
    (state === 'Held' || state === 'Authorised') && conditionOf(explanation.situation).kind === 'state';

  it('recommends something wherever a person should act', () => {
    expect(
      violations(
        (one) =>
          !isDecision(one) &&
          (one.explanation.stuck || ['urgent', 'attention'].includes(one.explanation.severity)),
        (one) => recommended(one) !== undefined,
      ),
    ).toEqual([]);
  });

  it('does not recommend to charge a customer where only the merchant can decide', () => {
    expect(
      violations(isDecision, (one) => {
        const { severity, actions } = one.explanation;
        return recommended(one) === undefined && severity !== 'ok' && actions.some(movesMoney);
      }),
    ).toEqual([]);
  });
});

it('docs/verdicts.md shows all of it', () => {
  const page = new URL('../../docs/verdicts.md', import.meta.url);
  if (process.env['UPDATE_DOCS']) writeFileSync(page, verdictsPage(results));
  expect(readFileSync(page, 'utf8')).toBe(verdictsPage(results));
});
