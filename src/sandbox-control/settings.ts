import { join } from 'node:path';
import { UsageError } from '../errors.js';
import type { AnswerChoices } from '../sandbox/index.js';

/** What the flags of `sandbox start` say. */
export interface StartFlags {
  host: string;
  port: number;
  database?: string | undefined;
  memory?: boolean;
  seed?: number | undefined;
  answers?: Array<Partial<AnswerChoices>> | undefined;
  'rate-limit'?: number | undefined;
  'webhook-host'?: string[] | undefined;
}

export interface SandboxSettings {
  host: string;
  port: number;
  /** `:memory:`, a file, or postgres://… */
  location: string;
  /** Where run files are, and the database unless another was chosen. */
  dataFolder: string;
  seed?: number | undefined;
  answers: Partial<AnswerChoices>;
  rateLimit?: number | undefined;
  webhookHosts: string[];
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
    port: flags.port,
    location: flags.memory ? ':memory:' : (flags.database ?? join(dataFolder, 'sandbox.db')),
    dataFolder,
    seed: flags.seed,
    answers,
    rateLimit: flags['rate-limit'],
    webhookHosts: flags['webhook-host'] ?? [],
  };
}
