import { Agent, request } from 'undici';

export interface Answered {
  status: number;
  body: unknown;
}

/** An answer, or nothing that could be read: the connection was cut, or the answer was. */
export type Outcome = Answered | 'lost';

export interface Http {
  call(method: string, url: string, token: string, body?: unknown): Promise<Outcome>;
  close(): Promise<void>;
}

export function createHttp(): Http {
  const agent = new Agent({ allowH2: false, connections: 32, keepAliveTimeout: 1000 });
  return {
    async call(method, url, token, body) {
      let text: string;
      let status: number;
      try {
        const answer = await request(url, {
          method: method as 'GET',
          dispatcher: agent,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { 'content-type': 'application/json' }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        status = answer.statusCode;
        text = await answer.body.text();
      } catch {
        return 'lost';
      }
      return { status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
    },
    close: () => agent.destroy(),
  };
}
