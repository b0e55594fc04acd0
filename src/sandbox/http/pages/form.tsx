import type { Child } from 'hono/jsx';
import { FORM_TOKEN } from './page-security.js';

interface FormProps {
  action: string;
  /** From the page's form guard. */
  token: string;
  id?: string;
  class?: string;
  /** Tells it from the others of a list that is updated live. */
  name?: string;
  children?: Child;
}

/** A form that its own page sends back; what it says is checked on the server, so that every browser gets the same words. */
export function Form({ action, token, name, children, ...rest }: FormProps) {
  return (
    <form
      method="post"
      action={action}
      novalidate
      {...(name !== undefined && { 'data-key': name })}
      {...rest}
    >
      <input type="hidden" name={FORM_TOKEN} value={token} />
      {children}
    </form>
  );
}

interface FieldProps {
  id: string;
  name: string;
  label: string;
  value?: string | undefined;
  error?: string | undefined;
  hint?: Child;
  /** The page begins here. */
  focus?: boolean;
  /** Further attributes of the input: inputmode, autocomplete, maxlength … */
  input?: Record<string, string | number | boolean>;
}

/** A text field with its label, its hint and what is wrong with it, tied together for screen readers. */
export function FormField({ id, name, label, value, error, hint, focus = false, input = {} }: FieldProps) {
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(
    Boolean,
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        type="text"
        id={id}
        name={name}
        {...(value !== undefined && { value })}
        {...(error !== undefined && { 'aria-invalid': 'true' })}
        {...(described.length > 0 && { 'aria-describedby': described.join(' ') })}
        autofocus={focus}
        {...input}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
