import { describe, expect, it } from 'vitest';
import { addWords, commandText, distinct, otherProgram, paydesk, paydeskWith } from '../src/next-command.js';

const get = paydesk('payments', 'get', 5);

describe('the text of a command', () => {
  it('quotes what a shell would split, and leaves placeholders as they are', () => {
    expect(commandText(paydesk('customers', 'get', "o'hara & co"))).toBe(
      String.raw`paydesk customers get 'o'\''hara & co'`,
    );
    expect(commandText(paydesk('batch', 'plan', 'FILE.csv', '--action', '…'))).toBe(
      'paydesk batch plan FILE.csv --action …',
    );
    expect(commandText({ ...paydesk('batch', 'report', 'b1'), into: 'my retry.csv' })).toBe(
      "paydesk batch report b1 > 'my retry.csv'",
    );
  });

  it('keeps an argument from being read as a flag', () => {
    const find = paydeskWith(['payments', 'find'], '--jq');
    expect(commandText(find)).toBe('paydesk payments find -- --jq');
    expect(commandText(find, 'shop')).toBe('paydesk payments find --profile shop -- --jq');
    expect(commandText(paydeskWith(['customers', 'find'], 'c_1'))).toBe('paydesk customers find c_1');
  });

  it('has the chosen profile once', () => {
    expect(commandText(get, 'shop')).toBe('paydesk payments get 5 --profile shop');
    expect(commandText(get, 'my shop')).toBe("paydesk payments get 5 --profile 'my shop'");
    for (const words of [['--profile', 'a'], ['--profile=a'], ['-p', 'a'], ['-pa'], ['--help'], ['…']]) {
      const command = addWords(get, ...words);
      expect(commandText(command, 'shop')).toBe(commandText(command));
    }
  });

  it('has no profile where none is taken, or where it is text already', () => {
    const others = [paydesk('sandbox', 'start'), paydesk('batch', 'resume', 'b1'), otherProgram('kill', 7)];
    for (const command of others) expect(commandText(command, 'shop')).toBe(commandText(command));
    expect(commandText({ text: 'paydesk payments get 5' }, 'shop')).toBe('paydesk payments get 5');
  });
});

it('keeps the first of equal steps', () => {
  const explain = paydesk('payments', 'explain', 5);
  expect(distinct([explain, get, paydesk('payments', 'explain', '5')])).toEqual([explain, get]);
});
