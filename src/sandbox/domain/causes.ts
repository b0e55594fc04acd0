// Causes of a change of state, in the words of the console, that other rooms and tests look for.

export const AUTOMATIC_CAPTURE = 'captured automatically';
export const FOUND_BY_RECHECK = 'found by recheck';
