/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command as it can be typed. */
export const shellLine = (...words: string[]): string => words.map(shellWord).join(' ');

// A batch knows the profile that it was planned with.
const TAKES_PROFILE =
  /^paydesk (api|customers|doctor|history|payments|webhook|whoami)\b(?!.*( --help| --profile|…))/;

/** The same command for who chose a profile with `--profile`: typed as it stands, it would act on another app. */
export function onProfile(command: string, profile: string | undefined): string {
  return profile !== undefined && TAKES_PROFILE.test(command)
    ? `${command} ${shellLine('--profile', profile)}`
    : command;
}
