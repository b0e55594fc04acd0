import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The first part of a host name, for tunnels that do not come about. */
export type ProxyBehaviour =
  | 'hangs-up'
  | 'closes'
  | 'silent'
  | 'garbage'
  | 'cuts-tunnel'
  | `answers-${403 | 502 | 503}`
  // The first tunnel opens, and the later ones end like this.
  | `later-${'hangs-up' | 'silent' | 'garbage' | `answers-${403 | 407 | 502}`}`;

export interface ProxyRequest {
  kind: 'connect' | 'forward';
  /** Host and port of a tunnel. */
  target?: string;
  method?: string;
  url?: string;
  headers: Record<string, string>;
}

export interface TestProxy {
  port: number;
  /** Without credentials. */
  url: string;
  /** What it was asked for since the last time this was called. */
  seen(): Promise<ProxyRequest[]>;
  stop(): Promise<void>;
}

/** A real proxy in a process of its own. `credentials` are `user:password`. */
export async function startProxy(credentials = ''): Promise<TestProxy> {
  const script = fileURLToPath(new URL('proxy-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, credentials], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface(child.stdout);
  const nextLine = async (): Promise<unknown> => JSON.parse(String((await once(lines, 'line'))[0]));
  const { port } = (await nextLine()) as { port: number };
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    seen: async () => {
      child.stdin.write('\n');
      return (await nextLine()) as ProxyRequest[];
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
