import { stateNames } from '../../../../contract/states.js';
import type { Commands } from '../../../console/commands.js';
import { faultKindNames, faultKinds, providerInstructions, shortRoutes } from '../../../domain/faults.js';
import { Field, Form } from '../form.js';
import { Command } from './command.js';
import { sections } from './console-frame.js';
import { Select } from './pieces.js';

const routes = {
  'Calls of the service': shortRoutes,
  'What the provider is told': providerInstructions,
  'Webhooks of a state': stateNames,
};

interface FaultFormProps {
  commands: Commands;
  token: string;
  back: string;
}

/** Every way to go wrong on purpose that a form can tell; the command knows a few more. */
export function FaultForm({ commands, token, back }: FaultFormProps) {
  return (
    <div class="stack">
      <Form action={sections.faults.path} token={token} id="fault" class="stack">
        <input type="hidden" name="back" value={back} />
        <Select
          id="kind"
          label="What goes wrong"
          options={faultKindNames.map((name) => [name, `${name}: ${faultKinds[name].summary}`] as const)}
        />
        <div class="fields">
          <div class="field">
            <label for="route">Where</label>
            <select id="route" name="route">
              <option value="">everywhere</option>
              {Object.entries(routes).map(([label, names]) => (
                <optgroup label={label}>
                  {names.map((name) => (
                    <option value={name}>{name}</option>
                  ))}
                </optgroup>
              ))}
            </select>
          </div>
          <Field
            id="next"
            name="next"
            label="For the next calls"
            value="1"
            hint="Empty: every one."
            input={number}
          />
          <Field id="probability" name="probability" label="Or a share of them" hint="For example 0.2." />
          <Field id="status" name="status" label="Status of an error" hint="500 to 599." input={number} />
          <Field id="delay" name="delay" label="Delay" hint="For example 3s." />
        </div>
        <div>
          <button>Set the fault</button>
        </div>
      </Form>
      <Command template={commands.fault.add} values={{ kind: faultKindNames[0], next: '1' }} form="fault" />
    </div>
  );
}

const number = { inputmode: 'numeric' };
