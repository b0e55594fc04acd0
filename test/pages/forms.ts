import { request } from 'undici';

// Forms without a browser: what a page shows, and what a browser would send for it.

export async function pageOf(
  url: string,
): Promise<{ status: number; text: string; location: string | null }> {
  const response = await fetch(url, { redirect: 'manual' });
  return {
    status: response.status,
    text: await response.text(),
    location: response.headers.get('location'),
  };
}

export function formToken(html: string): string {
  return /name="formToken" value="([0-9a-f]+)"/.exec(html)?.[1] ?? '';
}

/** Sends a form the way a browser does, with a header changed here and there. */
export async function sendForm(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string; location: string | undefined }> {
  const answer = await request(url, {
    method: 'POST',
    headers: {
      origin: new URL(url).origin,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });
  return {
    status: answer.statusCode,
    text: await answer.body.text(),
    location: answer.headers['location'] as string | undefined,
  };
}

/** Opens the page and sends its form back with these fields. */
export async function fillIn(url: string, fields: Record<string, string>) {
  return sendForm(url, { formToken: formToken((await pageOf(url)).text), ...fields });
}

/** What a browser would send for a button: the form that has it, with every field as the page has it except these. */
export function formWith(
  html: string,
  button: string,
  changes: Record<string, string> = {},
): { method: string; action: string; fields: URLSearchParams } {
  for (const [, form, content] of html.matchAll(/(<form\b[^>]*>)([\s\S]*?)<\/form>/g)) {
    const [, pressed] =
      Array.from(content!.matchAll(/(<button\b[^>]*>)([\s\S]*?)<\/button>/g)).find(
        ([, , text]) => textOf(text!).trim() === button,
      ) ?? [];
    if (pressed === undefined) continue;
    const fields = new URLSearchParams([...inputsOf(content!), ...selectsOf(content!, changes)]);
    for (const [name, value] of Object.entries(changes)) {
      if (!fields.has(name)) throw new Error(`The form of ${button} has no field ${name}.`);
      fields.set(name, value);
    }
    const name = attribute(pressed, 'name');
    if (name !== undefined) fields.append(name, attribute(pressed, 'value') ?? '');
    return { method: attribute(form!, 'method') ?? 'get', action: attribute(form!, 'action') ?? '', fields };
  }
  throw new Error(`No form has the button ${button}.`);
}

function inputsOf(form: string): Array<[string, string]> {
  const inputs = Array.from(form.matchAll(/<input\b[^>]*>/g), ([input]) => input);
  return inputs
    .filter((input) => attribute(input, 'disabled') === undefined)
    .filter((input) => !/type="(radio|checkbox)"/.test(input) || attribute(input, 'checked') !== undefined)
    .flatMap((input) => {
      const name = attribute(input, 'name');
      return name === undefined ? [] : [[name, attribute(input, 'value') ?? '']];
    });
}

function selectsOf(form: string, changes: Record<string, string>): Array<[string, string]> {
  return Array.from(form.matchAll(/(<select\b[^>]*>)([\s\S]*?)<\/select>/g), ([, select, content]) => {
    const name = attribute(select!, 'name') ?? '';
    const options = Array.from(content!.matchAll(/<option\b[^>]*>/g), ([option]) => option);
    const values = options.map((option) => attribute(option, 'value') ?? '');
    const change = changes[name];
    if (change !== undefined && !values.includes(change)) throw new Error(`${name} cannot be ${change}.`);
    const selected = options.findIndex((option) => attribute(option, 'selected') !== undefined);
    return [name, values[Math.max(0, selected)]!];
  });
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s/>])`).exec(tag);
  return found === null ? undefined : decodeEntities(found[1] ?? '');
}

const decodeEntities = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

/** What a page says, without its markup. */
export const textOf = (html: string): string =>
  decodeEntities(html.replace(/<(script|style)[\s\S]*?<\/\1>/g, '').replace(/<[^>]+>/g, ' ')).replace(
    /\s+/g,
    ' ',
  );
