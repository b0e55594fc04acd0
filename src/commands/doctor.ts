import { BaseCommand } from '../cli/runtime/base-command.js';
import { databaseLocation } from '../cli/desk/desk-database.js';
import { findLedgerWarning } from '../cli/desk/ledger-guard.js';
import { requestHeaders } from '../client/request-headers.js';
import { failedCheck, type Diagnosis } from '../doctor/check.js';
import { examine } from '../doctor/examine.js';
import { listFlagsFor } from '../cli/flags/flags.js';
import { checkList, fixLines } from '../output/views/doctor.js';
import { eventText } from '../cli/desk/session.js';
import { findPaths } from '../profiles/paths.js';
import { openProfiles } from '../profiles/store.js';
import { noAnswerOrOther } from '../sandbox-control/find.js';

export default class Doctor extends BaseCommand {
  static override summary = 'Check this machine, the profile, the key and the connection.';
  static override description =
    'Changes nothing; it reads one customer to test the key. Exit code 0 if nothing failed, 4 for a ' +
    'problem with the profile or key, 5 if the service cannot be reached, otherwise 1.';
  static override examples = [
    '<%= config.bin %> doctor',
    '<%= config.bin %> doctor --profile shop-eu --json',
  ];
  static override flags = listFlagsFor(checkList);

  async run(): Promise<Diagnosis> {
    await this.parse(Doctor);
    const { engines } = this.config.pjson as { engines?: { node?: string } };
    const diagnosis = await examine({
      profile: this.profileName,
      env: this.streams.env,
      ledger: databaseLocation(this.streams.env),
      ledgerWarning: () => findLedgerWarning(this.context),
      requiredNode: engines?.node,
      now: () => this.now(),
      noAnswer: (url) => {
        const { env } = this.streams;
        const { typed } = this.context;
        return noAnswerOrOther(findPaths(env).data, url, { typed, profiles: openProfiles(env).list() });
      },
      signal: this.signal,
      secrets: this.secrets,
      headers: requestHeaders(this.streams.env, this.config.version),
      onEvent: (event) => this.trace?.(eventText(event)),
    });
    await this.showList(diagnosis.checks, checkList);
    if (this.streams.stdout.terminal) this.print(...fixLines(diagnosis));
    const failure = failedCheck(diagnosis);
    if (failure) this.endAs(failure);
    return diagnosis;
  }
}
