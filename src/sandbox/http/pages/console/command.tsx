import type { CommandTemplate, Commands } from '../../../console/commands.js';
import type { App } from '../../../domain/apps.js';
import { Words, type FieldValues } from '../command-words.js';

interface CommandProps {
  template: CommandTemplate;
  /** By the names of the fields of the form beside it. */
  values?: FieldValues;
  /** The id of that form: where scripts run, the command follows what is chosen in it. */
  form?: string;
}

/** The same command for a shell: text to select, with a button to copy it where scripts run. */
export function CommandBlock({ template, values = {}, form }: CommandProps) {
  return (
    <p class="command">
      <code {...(form !== undefined && { 'data-template': JSON.stringify(template), 'data-form': form })}>
        <Words of={template} values={values} />
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
  of: Array<CommandTemplate | undefined>;
}

/** Commands of the desk, or what is missing for them. */
export function DeskCommands({ app, commands, of }: DeskCommandsProps) {
  const known = of.filter((command) => command !== undefined);
  if (known.length === of.length)
    return (
      <>
        {known.map((command) => (
          <CommandBlock template={command} />
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
