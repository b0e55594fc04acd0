import { shellWord } from '../../../next-command.js';
import { type CommandTemplate, fillCommand } from '../../console/commands.js';

/** By the names of the fields of a form. */
export type FieldValues = Readonly<Record<string, string | undefined>>;

/** A command breaks between its words only, and a word of another script does not reorder the others. */
export function Words({ of, values = {} }: { of: CommandTemplate; values?: FieldValues }) {
  return (
    <>
      {fillCommand(of, values).map((word, index) => (
        <>
          {index > 0 && ' '}
          <span>{shellWord(word)}</span>
        </>
      ))}
    </>
  );
}
