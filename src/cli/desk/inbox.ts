import type { DeskDatabase } from '../../ledger/database.js';
import type { AppRef } from '../../ledger/payment-ref.js';
import type { ResolvedProfile } from '../../profiles/resolve.js';
import { createInbox, type Inbox } from '../../webhooks/inbox/inbox.js';
import { openListener } from '../../webhooks/inbox/listeners.js';
import type { CommandContext } from '../runtime/context.js';
import { chosenProfile } from './chosen-profile.js';
import { openDatabase } from './desk-database.js';

interface OpenInbox {
  profile: ResolvedProfile;
  app: AppRef;
  database: DeskDatabase;
  inbox: Inbox;
  /** Of the listener's address; shown nowhere. */
  secret: string;
}

/** The webhooks that were saved for the app of the profile. */
export async function openInbox(context: CommandContext): Promise<OpenInbox> {
  const profile = chosenProfile(context);
  const database = await openDatabase(context);
  const app = { baseUrl: profile.baseUrl, appId: profile.appId };
  const { secret } = await openListener(database.store, app);
  context.secrets.add(secret);
  return { profile, app, database, inbox: createInbox(database.store), secret };
}
