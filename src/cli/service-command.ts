import { PaydeskError, TemporaryError } from '../errors.js';
import { toned } from '../output/lines.js';
import { BaseCommand } from './base-command.js';
import { createSentChanges } from './sent-changes.js';
import { openSession, verifyKind, type ChangingSession, type Session } from './session.js';
import { createWaiting } from './waiting.js';

const USUAL_PORT = '4010';

/** A command that talks to the service of the chosen profile. */
export abstract class ServiceCommand extends BaseCommand {
  #session: Session | undefined;
  readonly #sent = createSentChanges();

  protected override get mayHaveChanged(): boolean {
    return this.#sent.any();
  }

  /** Whether a slow request is told on a line of its own; not where a live screen shows what happens. */
  protected get tellsWaiting(): boolean {
    return this.streams.stderr.terminal;
  }

  protected async session(): Promise<Session> {
    const waiting = createWaiting((text) => this.status(text));
    const session = await openSession({
      profileName: this.profileName,
      env: this.streams.env,
      secrets: this.secrets,
      trace: this.debugs ? this.trace : undefined,
      note: (text) => this.note(text),
      onEvent: () => {
        const tell = this.tellsWaiting && !this.debugs ? waiting.listener() : undefined;
        const heed = this.#sent.listener();
        return (event) => {
          heed(event);
          tell?.(event);
        };
      },
      signal: this.signal,
    });
    this.#session = session;
    this.atEnd(async () => {
      waiting.close();
      await session.close();
    });
    const { kind, name, appId } = session.profile;
    if (kind === 'live' && this.streams.stderr.terminal && !this.changesService) {
      this.note(toned('dim', `Live app ${appId} (profile ${name ?? 'environment'})`));
    }
    return session;
  }

  protected override refine(error: unknown): unknown {
    const isRefused = error instanceof PaydeskError && error.code === 'refused';
    if (!isRefused || !this.#session?.isOwnSandbox) return error;
    const { port } = new URL(this.#session.profile.baseUrl);
    return new TemporaryError(`${error.message} Is the sandbox running?`, {
      code: error.code,
      next: [`paydesk sandbox start${port === USUAL_PORT ? '' : ` --port ${port}`}`],
      cause: error,
    });
  }

  /** For what changes something: whether the app is live is known before anybody is asked to confirm. */
  protected async changingSession(): Promise<ChangingSession> {
    return verifyKind(await this.session(), (line) => this.note(line));
  }
}
