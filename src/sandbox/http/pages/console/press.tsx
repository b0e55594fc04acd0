import { Form } from '../form.js';

interface PressProps {
  path: string;
  token: string;
  name: string;
  value: string;
  text: string;
  class?: string;
}

/** A form that is only a button. */
export function Press({ path, token, name, value, text, ...rest }: PressProps) {
  return (
    <Form action={path} token={token} name={`${name}-${value}`}>
      <button name={name} value={value} {...rest}>
        {text}
      </button>
    </Form>
  );
}
