const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** `14 November 2026`, of the sandbox's clock. */
export const formatDay = (instant: number): string => day.format(instant);

/** `14 November 2026 at 09:12 UTC`. */
export const formatTime = (instant: number): string => `${time.format(instant)} UTC`;
