import { fillCommand } from '../../../console/commands.js';

interface CommandProps {
  /** With `{name}` where the form beside it has a field of that name. */
  template: string;
  values?: Readonly<Record<string, string | undefined>>;
  /** The id of that form: where scripts run, the command follows what is chosen in it. */
  form?: string;
}

/** What does the same at a shell: text to select, with a button to copy it where scripts run. */
export function Command({ template, values = {}, form }: CommandProps) {
  return (
    <p class="command">
      <code {...(form !== undefined && { 'data-template': template, 'data-form': form })}>
        {fillCommand(template, values)}
      </code>
      <button type="button" class="small" data-copy hidden>
        Copy<span class="visually-hidden"> the command</span>
      </button>
    </p>
  );
}
