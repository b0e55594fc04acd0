/** A running sandbox, as it noted itself down. */
export interface Run {
  url: string;
  consoleUrl: string;
  controlToken: string;
  pid: number;
  database: string;
  startedTime: string;
}

export const portOf = ({ url }: Pick<Run, 'url'>): number => Number(new URL(url).port || 80);

/** Where `sandbox start` listens unless told otherwise. */
export const DEFAULT_PORT = 4010;
