import { custom } from '@oclif/core/flags';
import { BaseCommand } from './base-command.js';
import type { JsonObject } from '../contract/json.js';
import { ProfileError, ServiceError } from '../errors.js';
import { textAt } from '../output/values.js';
import { findPaths } from '../profiles/paths.js';
import { resolveProfile, type ResolvedProfile } from '../profiles/resolve.js';
import { openProfiles } from '../profiles/store.js';
import { createRemote, type Remote } from '../sandbox-control/remote.js';
import { createRuns } from '../sandbox-control/runs.js';
import { portOf, type Run } from '../sandbox-control/run.js';
import { parsePort } from './sandbox-flags.js';

/** A command that acts on a running sandbox: finds the one that is meant. */
export abstract class SandboxCommand extends BaseCommand {
  static override baseFlags = {
    ...BaseCommand.baseFlags,
    port: custom<number>({ parse: async (text) => parsePort(text) })({
      helpValue: 'N',
      summary: "Port of the sandbox, if several are running (default: the profile's, or the newest).",
    }),
  };

  /** Every sandbox of this home that answers, the one that is meant first. */
  protected async running(port: number | undefined): Promise<Run[]> {
    const alive = await createRuns(findPaths(this.streams.env).data).alive();
    if (port !== undefined) return alive.filter((run) => portOf(run) === port);
    const { baseUrl } = this.#profile() ?? {};
    return alive.sort((a, b) => Number(b.url === baseUrl) - Number(a.url === baseUrl));
  }

  /** A sandbox of this home whose process is there, but does not answer. */
  protected async silent(port: number | undefined): Promise<Run | undefined> {
    const silent = await createRuns(findPaths(this.streams.env).data).silent();
    return silent.find((run) => port === undefined || portOf(run) === port);
  }

  protected async sandbox(flags: { port?: number | undefined }): Promise<Remote> {
    const [run] = await this.running(flags.port);
    if (!run) throw noSandbox(flags.port);
    this.secrets.add(run.controlToken);
    return createRemote(run, this.signal);
  }

  /** The payment that was named: of the profile's app, and by default of any other when that has none. */
  protected async findPayment(sandbox: Remote, key: string): Promise<{ id: string; payment: JsonObject }> {
    const profile = this.#profile();
    const appId = profile?.baseUrl === sandbox.run.url ? profile.appId : undefined;
    const found = sandbox.payment(key, appId).catch((error: unknown) => {
      const isChosen = profile?.sources.profile !== 'default profile';
      const isAbsent = error instanceof ServiceError && error.httpStatus === 404;
      if (appId === undefined || isChosen || !isAbsent) throw error;
      return sandbox.payment(key);
    });
    const payment = await found;
    return { id: textAt(payment, 'paymentId'), payment };
  }

  /** A sandbox can do without a profile, but not without one that was asked for. */
  #profile(): ResolvedProfile | undefined {
    const { env } = this.streams;
    try {
      return resolveProfile({ flag: this.profileName, env, store: openProfiles(env) });
    } catch (error) {
      if (error instanceof ProfileError && this.profileName === undefined) return undefined;
      throw error;
    }
  }
}

function noSandbox(port: number | undefined): ServiceError {
  return new ServiceError(
    port === undefined ? 'No sandbox is running.' : `No sandbox is running on port ${port}.`,
    {
      code: 'no-sandbox',
      next: port === undefined ? ['paydesk sandbox start'] : [`paydesk sandbox start --port ${port}`],
    },
  );
}
