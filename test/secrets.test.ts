import { describeSecrets } from './every-command/secrets.js';

// With --debug everything else is printed too: these are a terminal, a pipe and JSON. `npm run proof` has all the others.
describeSecrets({
  verbosities: ['debug', 'pipe', 'debug by environment'],
  perSuccess: 2,
  perFailure: 1,
  everyForm: false,
});
