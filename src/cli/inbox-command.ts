import type { ResolvedProfile } from '../profiles/resolve.js';
import { resolveProfile } from '../profiles/resolve.js';
import { openProfiles } from '../profiles/store.js';
import { UsageError } from '../errors.js';
import type { DeskDatabase } from '../ledger/desk.js';
import { createInbox, type Inbox, type WholeDelivery } from '../webhooks/inbox/inbox.js';
import type { AppRef } from '../ledger/payment-ref.js';
import { openListener } from '../webhooks/inbox/listeners.js';
import { openDatabase } from './desk-database.js';
import { ServiceCommand } from './service-command.js';

export interface OpenInbox {
  profile: ResolvedProfile;
  place: AppRef;
  database: DeskDatabase;
  inbox: Inbox;
  /** Of the listener's address; shown nowhere. */
  secret: string;
}

/** A command on the webhooks that were kept for the app of the profile. */
export abstract class InboxCommand extends ServiceCommand {
  protected async openInbox(): Promise<OpenInbox> {
    const { env } = this.streams;
    const profile = resolveProfile({ flag: this.profileName, env, store: openProfiles(env) });
    // Strangers write webhooks: what they say is shown without the key.
    await profile
      .apiKey()
      .then((key) => this.secrets.addKey(key.reveal()))
      .catch(() => undefined);
    const database = await openDatabase(env);
    this.atEnd(database.close);
    const place = { baseUrl: profile.baseUrl, appId: profile.appId };
    const { secret } = await openListener(database.store, place);
    this.secrets.add(secret);
    return { profile, place, database, inbox: createInbox(database.store), secret };
  }

  protected async findDelivery({ inbox, place }: OpenInbox, id: number): Promise<WholeDelivery> {
    const found = await inbox.find(place, id);
    if (found) return found;
    throw new UsageError(`This app has no saved webhook ${id}.`, {
      code: 'no-such-webhook',
      next: ['paydesk webhook events'],
    });
  }
}
