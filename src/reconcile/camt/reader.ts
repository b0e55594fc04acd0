// camt.053, the bank statement of ISO 20022, as lines of money: one per transaction, or per entry without any.

import type { FileProblems } from '../../spreadsheet/problems.js';
import { decodeText, NotText } from '../../spreadsheet/text.js';
import type { SettlementLine, SettlementReader } from '../line.js';
import { createEntry, type CamtEntry, type EntryListener } from './entry.js';
import { createXmlParser } from './xml.js';
import type { XmlHandler } from './xml-elements.js';
import { type XmlPosition, XmlProblem } from './xml-problem.js';

const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.053\.001\.0[2-8]$/;
const CHUNK_SIZE = 1_000;

export const readCamt: SettlementReader = async function* read(source, problems, options = {}) {
  let lines: SettlementLine[] = [];
  let [statements, entries, notBooked] = [0, 0, 0];
  const handler = createStatementHandler(problems, () => parser.position, {
    beginStatement: () => (statements += 1),
    begin: () => (entries += 1),
    line: (found) => lines.push(found),
    notBooked() {
      notBooked += 1;
      options.onLeftOut?.('not-booked');
    },
    search: options.search,
  });
  const parser = createXmlParser(handler);
  try {
    for await (const piece of decodeText(source)) {
      parser.write(piece);
      if (lines.length < CHUNK_SIZE) continue;
      yield lines;
      lines = [];
    }
    parser.end();
  } catch (error) {
    if (error instanceof XmlProblem) problems.add(error.line, `column ${error.column}: ${error.message}`);
    else if (error instanceof NotText) problems.add(error.line, error.found);
    else throw error;
    return;
  }
  if (lines.length > 0) yield lines;
  if (problems.count > 0) return;
  if (statements === 0) problems.add(1, 'the document has no statement');
  // A day without entries is a day like any other.
  else if (entries > 0 && notBooked === entries) problems.add(1, 'no entry of the statement is booked yet');
};

const STATEMENT = '/Document/BkToCstmrStmt/Stmt';
const ENTRY = `${STATEMENT}/Ntry`;
const TRANSACTION = `${ENTRY}/NtryDtls/TxDtls`;

function createStatementHandler(
  problems: FileProblems,
  position: () => XmlPosition,
  tell: Pick<EntryListener, 'line' | 'notBooked' | 'search'> & {
    beginStatement(): void;
    begin(): number;
  },
): XmlHandler {
  const paths: string[] = [''];
  let entry: CamtEntry | undefined;
  /** How deep inside an element of another namespace. */
  let foreign = 0;
  let namespace = '';

  const refuse = (problem: string): never => {
    throw new XmlProblem(problem, position());
  };

  function beginEntry(): CamtEntry {
    const number = tell.begin();
    const { line } = position();
    const wrong = (problem: string) => problems.add(line, `entry ${number}: ${problem}`);
    return createEntry(number, { ...tell, wrong, refuse });
  }

  return {
    open(name, space, attributes) {
      if (paths.length === 1) {
        namespace = space;
        const problem = documentProblem(name, space);
        if (problem !== undefined) refuse(problem);
      }
      if (foreign > 0 || space !== namespace) {
        foreign += 1;
        return;
      }
      const path = `${paths.at(-1)}/${name}`;
      paths.push(path);
      if (path === STATEMENT) tell.beginStatement();
      else if (path === ENTRY) entry = beginEntry();
      else if (path === TRANSACTION) entry?.beginTransaction();
      else entry?.fields.open(name, attributes);
    },
    close() {
      if (foreign > 0) {
        foreign -= 1;
        return;
      }
      const path = paths.pop();
      if (path === ENTRY) {
        entry?.end();
        entry = undefined;
      } else if (path === TRANSACTION) entry?.endTransaction();
      else entry?.fields.close();
    },
    text(text) {
      if (foreign === 0) entry?.fields.text(text);
      else entry?.fields.foreignText(text);
    },
  };
}

function documentProblem(name: string, namespace: string): string | undefined {
  if (name !== 'Document') return `${name} is not a camt.053 document`;
  if (NAMESPACE.test(namespace)) return undefined;
  return `this is not camt.053 in a version from 02 to 08, but ${namespace || 'a document without a namespace'}`;
}
