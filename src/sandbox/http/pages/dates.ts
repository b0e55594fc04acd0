const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** `14 Nov 2026`, of the sandbox's clock. */
export const formatDay = (instant: number): string => day.format(instant);

/** `14 Nov 2026, 09:12 UTC`. */
export const formatTime = (instant: number): string => `${day.format(instant)}, ${time.format(instant)} UTC`;
