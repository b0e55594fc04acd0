/** Contact details by the names of their flags. */
interface GivenContact {
  'first-name'?: string | undefined;
  'last-name'?: string | undefined;
  email?: string | undefined;
  mobile?: string | undefined;
}

/** The fields of the service for the flags that were given. */
export function contactFields(flags: GivenContact) {
  return {
    ...(flags['first-name'] === undefined ? {} : { firstName: flags['first-name'] }),
    ...(flags['last-name'] === undefined ? {} : { lastName: flags['last-name'] }),
    ...(flags.email === undefined ? {} : { email: flags.email }),
    ...(flags.mobile === undefined ? {} : { mobileNumber: flags.mobile }),
  };
}
