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
