import { BaseCommand } from './base-command.js';
import { openSession, type Session } from './session.js';

/** A command that talks to the service of the chosen profile. */
export abstract class ServiceCommand extends BaseCommand {
  protected async session(): Promise<Session> {
    const session = await openSession({
      profileName: this.profileName,
      env: this.streams.env,
      secrets: this.secrets,
      trace: this.debugs ? this.trace : undefined,
      note: (text) => this.note(text),
      signal: this.signal,
    });
    this.atEnd(() => session.close());
    return session;
  }
}
