import { stateNames } from '../../../../contract/states.js';
import type { Commands } from '../../../console/commands.js';
import type { TypedForm } from '../../../console/results.js';
import { faultKindNames, faultKinds, shortRoutes } from '../../../domain/fault-kinds.js';
import { providerInstructions } from '../../../domain/provider-instructions.js';
import { FormField, Form } from '../form.js';
import { CommandBlock } from './command.js';
import { sections } from './console-frame.js';
import { Select } from './pieces.js';

const routes = {
  'API calls': shortRoutes,
  'Instructions to the provider': providerInstructions,
  'Webhooks by state': stateNames,
};

interface FaultFormProps {
  commands: Commands;
  token: string;
  back: string;
  typed: TypedForm | undefined;
}

/** The kinds of fault that fit a form; the command has a few more options. */
export function FaultForm({ commands, token, back, typed }: FaultFormProps) {
  const values: TypedForm['values'] = typed?.values ?? { next: '1' };
  const field = fieldOf(typed, values);
  return (
    <div class="stack">
      <Form action={sections.faults.path} token={token} id="fault" class="stack">
        <input type="hidden" name="back" value={back} />
        <Select
          id="kind"
          label="What goes wrong"
          options={faultKindNames.map((name) => [name, `${name}: ${faultKinds[name].summary}`] as const)}
          chosen={values['kind']}
        />
        <div class="fields">
          <Where chosen={values['route']} error={typed?.errors['route']} />
          <FormField
            {...field('next', 'Number of calls')}
            hint="Leave empty for every call."
            input={number}
          />
          <FormField {...field('probability', 'Share of calls')} hint="For example 0.2." />
          <FormField {...field('status', 'Error status')} hint="400 to 599." input={number} />
          <FormField {...field('delay', 'Delay')} hint="For example 3s." />
        </div>
        <div>
          <button>Add fault</button>
        </div>
      </Form>
      <CommandBlock
        template={commands.fault.add}
        values={{ ...values, kind: values['kind'] ?? faultKindNames[0] }}
        form="fault"
      />
    </div>
  );
}

const number = { inputmode: 'numeric' };

/** As it was typed, with what is wrong beside it; the first such field has the focus. */
function fieldOf(typed: TypedForm | undefined, values: TypedForm['values']) {
  const first = Object.keys(typed?.errors ?? {})[0];
  return (name: string, label: string) => ({
    id: name,
    name,
    label,
    value: values[name],
    error: typed?.errors[name],
    focus: name === first,
  });
}

function Where({ chosen, error }: { chosen: string | undefined; error: string | undefined }) {
  return (
    <div class="field">
      <label for="route">Where</label>
      <select
        id="route"
        name="route"
        {...(error !== undefined && {
          'aria-invalid': 'true',
          'aria-describedby': 'route-error',
          autofocus: true,
        })}
      >
        <option value="">everywhere</option>
        {Object.entries(routes).map(([label, names]) => (
          <optgroup label={label}>
            {names.map((name) => (
              <option value={name} {...(name === chosen && { selected: true })}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      {error !== undefined && (
        <p class="error" id="route-error">
          {error.length > 200 ? 'This kind of fault cannot happen there.' : error}
        </p>
      )}
    </div>
  );
}
