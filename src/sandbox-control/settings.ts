import { join } from 'node:path';
import { UsageError } from '../errors.js';
import type { AnswerChoices } from '../sandbox/index.js';

/** What the flags of `sandbox start` say. */
interface StartFlags {
  host: string;
  'allow-remote'?: boolean;
  port: number;
  database?: string | undefined;
  clock?: Date | undefined;
  memory?: boolean;
  seed?: number | undefined;
  answers?: Array<Partial<AnswerChoices>> | undefined;
  'rate-limit'?: number | undefined;
  'webhook-host'?: string[] | undefined;
}

/** The database, without having to type its password where others can read it. */
export const DATABASE_VARIABLE = 'PAYDESK_SANDBOX_DATABASE';

export interface SandboxSettings {
  host: string;
  /** Other machines may reach it, where the host lets them. */
  allowRemote: boolean;
  port: number;
  /** `:memory:`, a file, or postgres://… */
  location: string;
  /** Where run files are, and the database unless another was chosen. */
  dataFolder: string;
  seed?: number | undefined;
  answers: Partial<AnswerChoices>;
  rateLimit?: number | undefined;
  webhookHosts: string[];
  /** The export that it begins with. */
  contents?: string | undefined;
  /** Where its clock stands, stopped. */
  clock?: number | undefined;
}

export function hasPassword(database: string | undefined): boolean {
  return database !== undefined && URL.canParse(database) && new URL(database).password !== '';
}

export function chooseSettings(flags: StartFlags, dataFolder: string): SandboxSettings {
  const answers: Partial<AnswerChoices> = {};
  for (const choice of flags.answers ?? []) {
    const [name] = Object.keys(choice) as Array<keyof AnswerChoices>;
    if (name && Object.hasOwn(answers, name)) {
      throw new UsageError(`--answers ${name} was used twice; choose one.`, { code: 'usage' });
    }
    Object.assign(answers, choice);
  }
  return {
    host: flags.host,
    allowRemote: flags['allow-remote'] ?? false,
    port: flags.port,
    location: flags.memory ? ':memory:' : (flags.database ?? join(dataFolder, 'sandbox.db')),
    dataFolder,
    seed: flags.seed,
    answers,
    rateLimit: flags['rate-limit'],
    webhookHosts: flags['webhook-host'] ?? [],
    clock: flags.clock?.getTime(),
  };
}
