import { describeSecrets, verbosities, type Verbosity } from '../every-command/secrets.js';

const all = Object.keys(verbosities) as Verbosity[];
describeSecrets({ verbosities: all, perSuccess: all.length, perFailure: all.length, everyForm: true });
