import type { Refusal } from '../domain/refusal.js';
import type { TypedForm } from './results.js';

/** What the console calls the fields that the rules name, and the fields of its forms that they come from. */
const fields: Readonly<Record<string, { label: string; names: readonly string[] }>> = {
  value: { label: 'Time', names: ['by', 'to'] },
  route: { label: 'Where', names: ['route'] },
  next: { label: 'Number of calls', names: ['next'] },
  probability: { label: 'Share', names: ['probability'] },
  status: { label: 'Status', names: ['status'] },
  delayMs: { label: 'Delay', names: ['delay'] },
  kind: { label: 'Kind', names: ['kind'] },
  card: { label: 'Card', names: ['card'] },
  webhookUrl: { label: 'Address', names: ['url'] },
  fraudPolicyId: { label: 'Fraud policy', names: ['policy'] },
};

/** As much of a value as is shown again: a page has a known size. */
const MAX_VALUE_LENGTH = 300;

/** What a refusal says of a form, in words and beside its fields. */
export function refusedForm(
  path: string,
  form: URLSearchParams,
  { errors, message }: Refusal,
): { text: string; form: TypedForm } {
  const said = errors.map((error) => ({
    names: fields[error.path]?.names ?? [error.path],
    text: `${fields[error.path]?.label ?? error.path} ${error.message}.`,
  }));
  const values = Array.from(form, ([name, value]) => [name, value.slice(0, MAX_VALUE_LENGTH)] as const);
  const wrong = said.flatMap(({ names, text }) =>
    names.filter((name) => form.has(name)).map((name) => [name, text] as const),
  );
  return {
    text: said.length === 0 ? message : said.map(({ text }) => text).join(' '),
    form: { path, values: Object.fromEntries(values), errors: Object.fromEntries(wrong) },
  };
}
