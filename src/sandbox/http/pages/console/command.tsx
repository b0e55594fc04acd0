import { fillCommand, type Commands } from '../../../console/commands.js';
import type { App } from '../../../domain/apps.js';

interface CommandProps {
  /** With `{name}` where the form beside it has a field of that name. */
  template: string;
  values?: Readonly<Record<string, string | undefined>>;
  /** Already filled in: braces and brackets in it mean themselves. */
  isLiteral?: boolean;
  /** The id of that form: where scripts run, the command follows what is chosen in it. */
  form?: string;
}

/** A command breaks between its words only, and a word of another script does not reorder the others. */
export function Words({ of }: { of: string }) {
  return (
    <>
      {of.split(' ').map((word, index) => (
        <>
          {index > 0 && ' '}
          <span>{word}</span>
        </>
      ))}
    </>
  );
}

/** The same command for a shell: text to select, with a button to copy it where scripts run. */
export function CommandBlock({ template, values = {}, isLiteral = false, form }: CommandProps) {
  return (
    <p class="command">
      <code {...(form !== undefined && { 'data-template': template, 'data-form': form })}>
        <Words of={isLiteral ? template : fillCommand(template, values)} />
      </code>
      <button type="button" class="small" data-copy hidden>
        Copy<span class="visually-hidden"> the command</span>
      </button>
    </p>
  );
}

interface DeskCommandsProps {
  app: App;
  commands: Commands;
  /** Undefined where no profile points at the app. */
  of: Array<string | undefined>;
}

/** Commands of the desk, or what is missing for them. */
export function DeskCommands({ app, commands, of }: DeskCommandsProps) {
  const known = of.filter((command) => command !== undefined);
  if (known.length === of.length)
    return (
      <>
        {known.map((command) => (
          <CommandBlock template={command} isLiteral />
        ))}
      </>
    );
  return (
    <>
      <p class="small muted">No profile points at this app. Add one to use the desk:</p>
      <CommandBlock template={commands.addProfile(app.app_id, app.is_sandbox === 1)} />
    </>
  );
}
