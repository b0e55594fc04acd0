import { commandText } from '../../../../next-command.js';
import { type Commands, fillCommand } from '../../../console/commands.js';
import type { TypedForm } from '../../../console/results.js';
import { durationText } from '../../../console/texts.js';
import { callsText, routeText } from '../../../domain/fault-kinds.js';
import { readFaultOptions } from '../../../domain/faults.js';
import type { FaultRow } from '../../../schema.js';
import { CommandBlock } from './command.js';
import { sections } from './console-frame.js';
import { Press } from './press.js';
import { FaultForm } from './fault-form.js';

interface FaultsProps {
  faults: FaultRow[];
  commands: Commands;
  token: string;
  typed: TypedForm | undefined;
}

/** The most that a page shows; the command lists all. */
const MAX_FAULTS_SHOWN = 40;

export function FaultsPage({ faults, commands, token, typed }: FaultsProps) {
  const { path } = sections.faults;
  return (
    <>
      <h1>Faults</h1>
      <section class="card stack" id="faults" data-live aria-label="Active faults">
        {faults.length === 0 ? (
          <p>No faults. Everything works normally.</p>
        ) : (
          <>
            <FaultTable faults={faults.slice(-MAX_FAULTS_SHOWN)} commands={commands} token={token} />
            {faults.length > MAX_FAULTS_SHOWN && (
              <p class="muted">
                The newest {MAX_FAULTS_SHOWN} of {faults.length}.
              </p>
            )}
            <div>
              <Press
                path={`${path}/clear`}
                token={token}
                name="all"
                value="yes"
                text="Clear all"
                class="danger"
              />
              <CommandBlock template={commands.fault.clear(undefined)} />
            </div>
          </>
        )}
      </section>
      <section class="card stack" aria-labelledby="set-title">
        <h2 id="set-title">Add a fault</h2>
        <FaultForm commands={commands} token={token} back={path} typed={typed} />
      </section>
    </>
  );
}

function FaultTable({ faults, commands, token }: Omit<FaultsProps, 'typed'>) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Fault</th>
            <th scope="col">Applies to</th>
            <th scope="col" class="num roomy">
              Applied
            </th>
            <th scope="col">Clear</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => (
            <tr data-key={fault.id}>
              <td>
                {fault.kind}
                <span class="sub">{routeText(fault)}</span>
                <span class="sub">{settingsOf(fault)}</span>
              </td>
              <td>{callsText(fault)}</td>
              <td class="num roomy">{fault.seen}</td>
              <td>
                <Press
                  path={`${sections.faults.path}/clear`}
                  token={token}
                  name="id"
                  value={String(fault.id)}
                  text={`Clear ${fault.id}`}
                  class="small"
                />
                <code class="sub roomy">
                  {commandText({ words: fillCommand(commands.fault.clear(fault.id), {}) })}
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function settingsOf({ options }: FaultRow): string {
  const { status, delayMs, retryAfterS, afterCommit } = readFaultOptions(options);
  return [
    status !== undefined && `status ${status}`,
    delayMs !== undefined && `delay ${durationText(delayMs)}`,
    retryAfterS !== undefined && `retry after ${retryAfterS} s`,
    afterCommit && 'after commit',
  ]
    .filter(Boolean)
    .join(', ');
}
