import type { DeskTables } from '../ledger/schema.js';
import type { Line } from '../output/lines.js';
import type { ResolvedProfile } from '../profiles/resolve.js';
import { StoreError } from '../store/errors.js';
import type { Store } from '../store/store.js';
import type { Records } from '../support/records.js';
import { DeskCommand } from './desk-command.js';

/** A command that shows where payments stand. */
export abstract class SupportCommand extends DeskCommand {
  /** Without it, only what the service shows can be used. */
  protected async storeIfOpen(): Promise<Store<DeskTables> | undefined> {
    try {
      return (await this.database()).store;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.note(`paydesk cannot read its ledger, so it uses only the service. ${error.message}`);
      return undefined;
    }
  }

  protected async records(place: ResolvedProfile): Promise<Records | undefined> {
    const store = await this.storeIfOpen();
    if (store === undefined) return undefined;
    const { createRecords } = await import('../support/records.js');
    return createRecords(store, place, () => Date.now());
  }

  /** For what moves no money: nothing needs to be confirmed. */
  protected async openLookingDesk() {
    const { client, profile } = await this.session();
    const { baseUrl, appId, kind, name } = profile;
    return {
      client,
      ledger: this.lazyLedger(),
      place: { baseUrl, appId, kind: kind ?? 'live', profile: name },
      note: (...lines: Line[]) => this.note(...lines),
    };
  }

  protected explainOptions({ quietMs, sandboxQuietMs }: Pick<ResolvedProfile, 'quietMs' | 'sandboxQuietMs'>) {
    return {
      ...this.readOptions,
      now: this.now().getTime(),
      quietMs,
      sandboxQuietMs,
      profile: this.profileName,
    };
  }
}
