import { getHttpOperationsFromSpec } from '@stoplight/prism-http';
import { createServer } from '@stoplight/prism-http-server';

export interface ValidatingProxy {
  readonly url: string;
  /** Everything that was not as the document says, since the last time this was called. */
  violations(): string[];
  close(): Promise<void>;
}

type Logger = Parameters<typeof createServer>[1]['components']['logger'];

/** Prism between a client and a service: it checks every request and every answer against the document. */
export async function startPrism(document: string, upstream: string): Promise<ValidatingProxy> {
  const found: string[] = [];
  const note = (...words: unknown[]) => void found.push(words.map(describe).join(' '));
  const silent = () => {};
  const logger = {
    trace: silent,
    debug: silent,
    info: silent,
    success: silent,
    warn: note,
    error: note,
    fatal: note,
    child: () => logger,
  } as unknown as Logger;
  const server = createServer(await getHttpOperationsFromSpec(document), {
    cors: false,
    config: {
      isProxy: true,
      upstream: new URL(upstream),
      upstreamProxy: undefined,
      validateRequest: true,
      validateResponse: true,
      checkSecurity: true,
      errors: true,
      mock: { dynamic: false },
    },
    components: { logger },
  });
  const url = await server.listen(0, '127.0.0.1');
  return {
    url,
    violations: () => found.splice(0),
    close: () => server.close(),
  };
}

function describe(word: unknown): string {
  if (typeof word === 'string') return word;
  const { input } = word as { input?: { method: string; url: { path: string } } };
  return input ? `${input.method} ${input.url.path}` : '';
}
