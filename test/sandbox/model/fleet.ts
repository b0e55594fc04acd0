import { sandboxProcess, type SandboxProcess } from '../../helpers/sandbox.js';

/** One or several sandbox processes on the same data, each of which can be killed and comes back. */
export interface Fleet {
  /** One that serves, as far as anyone knows. */
  any(): Promise<SandboxProcess>;
  /** Kills one with SIGKILL, and starts it again. */
  kill(index: number): Promise<void>;
  close(): Promise<void>;
}

export async function startFleet(location: string, size: number): Promise<Fleet> {
  const start = () => sandboxProcess({ location, seed: 1 });
  const members: Array<Promise<SandboxProcess>> = [];
  for (let index = 0; index < size; index++) {
    members.push(start());
    await members[index];
  }
  let turn = 0;
  return {
    any: () => members[turn++ % size] as Promise<SandboxProcess>,
    async kill(index) {
      const { process, kill } = await (members[index] as Promise<SandboxProcess>);
      process.kill('SIGKILL');
      members[index] = kill().then(start);
      await members[index];
    },
    async close() {
      for (const member of members) await (await member).kill();
    },
  };
}
