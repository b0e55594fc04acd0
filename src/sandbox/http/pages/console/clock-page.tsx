import type { Commands } from '../../../console/commands.js';
import type { TypedForm } from '../../../console/results.js';
import { timeText } from '../../../console/texts.js';
import { FormField, Form } from '../form.js';
import { CommandBlock } from './command.js';
import { sections } from './console-frame.js';
import { Press } from './press.js';

interface ClockProps {
  now: number;
  stopped: boolean;
  commands: Commands;
  token: string;
  typed: TypedForm | undefined;
}

export function ClockPage({ now, stopped, commands, token, typed }: ClockProps) {
  const { path } = sections.clock;
  const to = typed?.values['to'] ?? soon(now);
  return (
    <>
      <h1>Clock</h1>
      <section class="card stack" aria-labelledby="now-title">
        <div id="now" data-live class="stack">
          <h2 id="now-title">{timeText(now)} UTC</h2>
          <p>
            {stopped
              ? 'Stopped: nothing happens until it is set, advanced or resumed.'
              : 'Running: provider answers, expiries and webhooks happen when they are due.'}
          </p>
          {stopped ? (
            <div>
              <Press path={path} token={token} name="action" value="resume" text="Resume" class="primary" />
              <CommandBlock template={commands.clock.resume} />
            </div>
          ) : (
            <div>
              <Press path={path} token={token} name="action" value="stop" text="Stop" />
              <CommandBlock template={commands.clock.stop} />
            </div>
          )}
        </div>
      </section>
      <section class="card stack" aria-labelledby="move-title">
        <h2 id="move-title">Advance or set</h2>
        <p class="muted">
          The clock never goes back. Everything that falls due happens in order and at its time, and its
          webhooks are sent before this page returns.
        </p>
        <AdvanceForm commands={commands} token={token} back={path} typed={typed} />
        <Form action={path} token={token} id="set">
          <input type="hidden" name="action" value="set" />
          <div class="inline">
            <FormField
              id="to"
              name="to"
              label="Set the clock to"
              value={to}
              error={typed?.errors['to']}
              focus={typed?.errors['to'] !== undefined}
              hint="An ISO time; UTC when it ends in Z."
            />
            <button>Set</button>
          </div>
        </Form>
        <CommandBlock template={commands.clock.set} values={{ to }} form="set" />
      </section>
    </>
  );
}

const HOUR_MS = 3_600_000;

/** The next full hour, as something to begin with. */
const soon = (now: number): string =>
  new Date(Math.min((Math.floor(now / HOUR_MS) + 1) * HOUR_MS, Date.UTC(9999, 0)))
    .toISOString()
    .replace('.000', '');

const usual = ['30s', '1m', '1h', '1d', '7d'];

interface AdvanceProps {
  commands: Commands;
  token: string;
  back: string;
  typed: TypedForm | undefined;
}

export function AdvanceForm({ commands, token, back, typed }: AdvanceProps) {
  const by = typed?.values['by'] ?? '30s';
  return (
    <div>
      <Form action={sections.clock.path} token={token} id="advance">
        <input type="hidden" name="action" value="advance" />
        <input type="hidden" name="back" value={back} />
        <div class="inline">
          <FormField
            id="by"
            name="by"
            label="Advance the clock by"
            value={by}
            error={typed?.errors['by']}
            focus={typed?.errors['by'] !== undefined}
            hint="For example 30s, 5m, 24h, 7d."
            input={{ list: 'usual', autocomplete: 'off' }}
          />
          <button>Advance</button>
        </div>
        <datalist id="usual">
          {usual.map((value) => (
            <option value={value}></option>
          ))}
        </datalist>
      </Form>
      <CommandBlock template={commands.clock.advance} values={{ by }} form="advance" />
    </div>
  );
}
