import type { Child } from 'hono/jsx';
import type { ProviderProfileRow } from '../../../schema.js';
import { FormField, Form } from '../form.js';
import { plain, Text } from '../text.js';
import { ROUTING_NUMBER, type Typed } from './typed-values.js';

interface PayFormProps {
  action: string;
  token: string;
  methodType: string;
  /** The providers of this method; with more than one the customer chooses. */
  profiles: ProviderProfileRow[];
  saving: 'offered' | 'asked' | 'none';
  shop: string;
  /** As it is shown: €49.90. */
  amount: string;
  typed: Typed | undefined;
  /** The provider that was chosen before. */
  chosen: number | undefined;
  /** Instead of the usual button, where there is more to say or to choose. */
  submit: Child | undefined;
}

/** A way of paying: the provider, what it needs to know, whether to save it, and the button. */
export function PayForm(props: PayFormProps) {
  const { action, token, methodType, amount, submit } = props;
  return (
    <Form action={action} token={token} class="stack">
      <Providers {...props} />
      {methodType === 'CreditCard' && <CardFields {...props} />}
      {methodType === 'ElectronicCheck' && <AccountFields {...props} />}
      <Saving {...props} />
      {submit ?? <PayButton amount={amount} />}
    </Form>
  );
}

export function PayButton({ amount }: { amount: string }) {
  return (
    <button class="primary block" data-busy="Paying …">
      Pay <span class="num">{amount}</span>
    </button>
  );
}

function Providers({ methodType, profiles, chosen }: PayFormProps) {
  const [first, ...others] = profiles;
  if (others.length === 0)
    return <input type="hidden" name="profile" value={String(first?.payment_profile_id)} />;
  const selected = profiles.find(({ payment_profile_id: id }) => id === chosen) ?? first;
  return (
    <fieldset class="plain stack-tight">
      <legend class="small">Provider</legend>
      {profiles.map((profile) => (
        <label class="choice" for={`${methodType}-${profile.payment_profile_id}`}>
          <input
            type="radio"
            name="profile"
            id={`${methodType}-${profile.payment_profile_id}`}
            value={String(profile.payment_profile_id)}
            checked={profile === selected}
          />
          <span>
            <Text of={profile.name} />
            {profile.delay_ms > 0 && (
              <span class="muted small">, answers after {Math.round(profile.delay_ms / 1000)} seconds</span>
            )}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Nothing is filled in by the browser: a real card has no place here. */
const digits = { inputmode: 'numeric', autocomplete: 'off' };

function CardFields({ typed }: PayFormProps) {
  const field = fieldsOf(typed);
  return (
    <>
      <FormField
        {...field('cardNumber', 'Card number')}
        input={{ ...digits, maxlength: 23, placeholder: '4242 4242 4242 4242' }}
      />
      <div class="fields">
        <FormField
          {...field('expiry', 'Expires')}
          input={{ ...digits, maxlength: 9, placeholder: 'MM/YY' }}
        />
        <FormField
          {...field('cvc', 'Security code')}
          input={{ ...digits, maxlength: 4, placeholder: '123' }}
        />
      </div>
      <FormField {...field('cardName', 'Name on card')} input={{ autocomplete: 'off', maxlength: 100 }} />
    </>
  );
}

function AccountFields({ typed }: PayFormProps) {
  const field = fieldsOf(typed);
  return (
    <>
      <FormField
        {...field('accountHolder', 'Account holder')}
        input={{ autocomplete: 'off', maxlength: 100 }}
      />
      <FormField
        {...field('routingNumber', 'Routing number')}
        hint={`The test bank is ${ROUTING_NUMBER}.`}
        input={{ ...digits, maxlength: 9 }}
      />
      <FormField {...field('accountNumber', 'Account number')} input={{ ...digits, maxlength: 17 }} />
    </>
  );
}

/** The first field that something is wrong with gets the focus. */
function fieldsOf(typed: Typed | undefined) {
  const first = Object.keys(typed?.errors ?? {})[0];
  return (name: string, label: string) => ({
    id: name,
    name,
    label,
    value: typed?.values[name],
    error: typed?.errors[name],
    focus: name === first,
  });
}

export function Saving({
  methodType,
  saving,
  shop,
  typed,
}: Pick<PayFormProps, 'methodType' | 'saving' | 'shop' | 'typed'>) {
  if (saving === 'none') return null;
  const id = `${methodType}-save`;
  const asked = saving === 'asked';
  return (
    <div class="choice">
      <input
        type="checkbox"
        name="save"
        value="yes"
        id={id}
        aria-describedby={`${id}-hint`}
        checked={asked || typed?.values['save'] === 'yes'}
        disabled={asked}
      />
      <div>
        <label for={id}>Save this method for later payments</label>
        <p class="hint" id={`${id}-hint`}>
          {asked
            ? `${plain(shop)} asks for this: it may charge the method later without asking you again.`
            : `${plain(shop)} may then charge it later without asking you. You can remove it at any time.`}
        </p>
      </div>
    </div>
  );
}
