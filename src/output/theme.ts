// Colour carries meaning and nothing else; everything reads without it.

export type Tone = 'good' | 'waiting' | 'bad' | 'dim' | 'strong';
export type Theme = Readonly<Record<Tone, (text: string) => string>>;

const asItIs = (text: string): string => text;

export const plainTheme: Theme = {
  good: asItIs,
  waiting: asItIs,
  bad: asItIs,
  dim: asItIs,
  strong: asItIs,
};

/** chalk is loaded only where colour is wanted. */
export async function loadTheme(colour: boolean): Promise<Theme> {
  if (!colour) return plainTheme;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level: 1 });
  return { good: chalk.green, waiting: chalk.yellow, bad: chalk.red, dim: chalk.dim, strong: chalk.bold };
}
