// One cell of the matrix: an instruction to a service that treats it in one odd way, and every way to send it again.

import { createClient } from '../../../src/client/client.js';
import type { Transport } from '../../../src/client/exchange.js';
import { exitCodeOf, PaydeskError } from '../../../src/errors.js';
import type { DeskDatabase } from '../../../src/ledger/database.js';
import type { Outcome } from '../../../src/ledger/moves/operations.js';
import { createLedger } from '../../../src/ledger/moves/ledger.js';
import type { Desk } from '../../../src/payments/desk.js';
import { moveAll } from '../../../src/payments/move/move-all.js';
import { PLANNED_AGAIN } from '../../../src/ledger/schema.js';
import { createClaims } from '../../../src/batch/rows/claims.js';
import { workOn } from '../../../src/batch/run/row-work.js';
import type { WorkedRow } from '../../../src/batch/rows/worked-row.js';
import type { SettleOperation } from '../../../src/contract/states.js';
import type { BatchRecord, BatchRow } from '../../../src/ledger/schema.js';
import { virtualClock } from '../../helpers/servers.js';
import type { OddPayment, OddService, Treatment } from './odd-service.js';
import { endingOf, ruleFor } from './outcome-rules.js';

const QUIET_MS = 600_000;
const APP = 'app-1';
const AT_ONCE = 32;

export interface MatrixDesk {
  service: OddService;
  /** Where the service is for the desk. */
  baseUrl: string;
  transport: Transport;
  database: DeskDatabase;
  /** How the instruction is sent; a command of its own unless something else is said. */
  by?: 'wait' | 'batch';
}

interface Told {
  outcome: Outcome | undefined;
  exit: number;
  code?: string | undefined;
}

interface Flags {
  again?: boolean;
  resend?: boolean;
}

/** A desk with a clock of its own, on the ledger that all of them share. */
function openDesk(
  { baseUrl, transport, database, by }: MatrixDesk,
  { verb, answer }: Treatment,
  payment: OddPayment,
) {
  const clock = virtualClock();
  const steady = () => clock.now();
  const options = {
    baseUrl,
    appId: APP,
    apiKey: () => 'key-1234',
    clock,
    random: () => 0.5,
    transport,
  };
  const client = createClient(options);
  const isSilent = answer === 'timeout';
  const desk: Desk = {
    client: {
      ...client,
      // Gives up as soon as the instruction has arrived, as a timeout would after a while.
      operate: (operation, id, given) =>
        client.operate(
          operation,
          id,
          isSilent && payment.told === 0 ? { ...given, signal: payment.arrived } : given,
        ),
    },
    settling: client,
    ledger: createLedger(database.store, {
      operator: 'op@desk',
      now: () => clock.now(),
      steady: () => ({ boot: 'one', ms: clock.now() }),
    }),
    app: { baseUrl, appId: APP, kind: 'sandbox', profile: undefined },
    quietMs: QUIET_MS,
    clock,
    steady,
    signal: new AbortController().signal,
    waitMs: 30_000,
    note: () => undefined,
  };
  const id = String(payment.id);
  const names = [{ typed: id, key: { paymentId: id } }];
  const plain = { operation: verb, names, force: false, wait: by === 'wait', dryRun: false };
  const row = by === 'batch' ? createRow(desk, database.store, verb, id) : undefined;
  return {
    pass: (ms: number) => clock.sleep(ms),
    async run({ again = false, resend = false }: Flags = {}): Promise<Told> {
      try {
        const [result] = row
          ? [await row.work({ again, resend })]
          : await moveAll(desk, { ...plain, again, resend }, { confirm: async () => undefined });
        const error = result?.error;
        return { outcome: result?.outcome, exit: error ? exitCodeOf(error) : 0, code: error?.code };
      } catch (error) {
        if (!(error instanceof PaydeskError)) throw error;
        return { outcome: undefined, exit: exitCodeOf(error), code: error.code };
      }
    },
  };
}

/** A row of a batch, worked on as a runner does that has just claimed it. */
function createRow(desk: Desk, store: MatrixDesk['database']['store'], verb: SettleOperation, id: string) {
  const batch = { id: `batch-${id}`, action: verb, app_id: APP } as BatchRecord;
  const { sentFor } = createClaims(store, batch, { name: 'runner', isGone: () => false }, desk.steady);
  const read = (paymentId: string) => desk.client.getPayment({ paymentId });
  let planned: Promise<BatchRow> | undefined;
  const plan = async () => {
    const { fields } = await read(id);
    const [amount, currency] = [String(fields.amount), fields.currency];
    return {
      id: 1,
      typed: id,
      payment_id: id,
      reference_id: fields.referenceId ?? null,
      before_state: fields.paymentState,
      amount,
      currency,
    } as BatchRow;
  };
  return {
    async work({
      again,
      resend,
    }: Required<Flags>): Promise<Omit<WorkedRow, 'outcome'> & { outcome: Outcome | undefined }> {
      const row = { ...(await (planned ??= plan())), planned: again ? PLANNED_AGAIN : 1 };
      const work = {
        wait: false,
        resend,
        read,
        sentFor,
        remember: async () => {},
        checkApp: async () => undefined,
      };
      const worked = await workOn(desk, batch, { row, earlier: await sentFor(row) }, work);
      return { ...worked, outcome: worked.outcome === 'skipped' ? undefined : worked.outcome };
    },
  };
}

const everyWay: Flags[] = [{}, { again: true }, { resend: true }];

/** What is wrong with a cell, in words; nothing when all is as it should be. */
async function examine(matrixDesk: MatrixDesk, cell: Treatment): Promise<string[]> {
  const payment = matrixDesk.service.add(cell);
  const desk = openDesk(matrixDesk, cell, payment);
  const problems: string[] = [];
  const check = (isRight: boolean, what: string) => {
    if (!isRight) problems.push(what);
  };
  const toldOnly = (times: number, when: string) =>
    check(payment.told === times, `told ${payment.told} times ${when}, not ${times}`);
  const atOnce = async (when: string) => {
    for (const told of await Promise.all(everyWay.map((flags) => desk.run(flags)))) {
      check(!(payment.done > 0 && told.outcome === 'failed'), `a success is called failed ${when}`);
      check(!(payment.done === 0 && told.outcome === 'done'), `a failure is called done ${when}`);
    }
  };

  const { outcome, exit } = endingOf(cell);
  const first = await desk.run();
  // Whoever waits may see more than what is told at once, and rows have no exit code.
  const isAsTold =
    matrixDesk.by === 'wait' ||
    (first.outcome === outcome && (matrixDesk.by === 'batch' || first.exit === exit));
  check(isAsTold, `${first.outcome} (${first.exit}, ${first.code}) instead of ${outcome} (${exit})`);
  toldOnly(1, 'by the first command');
  // Half of the cells are tried again right away, the others when the quiet period is nearly over.
  if (cell.verb === 'cancel' || cell.verb === 'unhold') await desk.pass(QUIET_MS - 30_000);
  await atOnce('within the quiet period');
  toldOnly(1, 'within the quiet period');

  await desk.pass(2 * QUIET_MS);
  payment.catchUp();
  if (!cell.committed) {
    const isWayResend = ruleFor(cell.answer).way === 'resend';
    const again = await desk.run({ resend: isWayResend });
    if (cell.recheck === 'unsupported') check(again.code === 'not-rechecked', `sent again: ${again.code}`);
    // A row that was refused or accepted is over for its batch.
    const isOver = matrixDesk.by === 'batch' && (outcome === 'refused' || outcome === 'accepted');
    toldOnly(
      cell.recheck === 'unsupported' || isOver ? 1 : 2,
      `after the quiet period (${again.outcome}, ${again.code})`,
    );
  }
  const told = payment.told;
  await atOnce('after the quiet period');
  toldOnly(told, 'by everybody after the quiet period');
  return problems.map((problem) => `${nameOf(cell)}: ${problem}`);
}

function nameOf({ verb, answer, committed, lagging, recheck, names }: Treatment): string {
  return [
    verb,
    answer,
    committed ? 'committed' : 'not committed',
    lagging ? 'reads lag' : 'reads fresh',
    `recheck ${recheck}`,
    `names ${names}`,
  ].join(', ');
}

/** What is wrong with any of the cells; nothing when all are as they should be. */
export async function examineAll(matrixDesk: MatrixDesk, cells: readonly Treatment[]): Promise<string[]> {
  const problems: string[] = [];
  const queue = cells.values();
  const work = async () => {
    for (const cell of queue) problems.push(...(await examine(matrixDesk, cell)));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return problems;
}
