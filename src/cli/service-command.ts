import { GuardError, PaydeskError, TemporaryError } from '../errors.js';
import { toned } from '../output/lines.js';
import { BaseCommand } from './base-command.js';
import { type ReadOptions, TWO_PAYMENTS } from '../payments/named-payments.js';
import { knowsNumericReferences } from './seen-journal.js';
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

  /** For reads of payments that are named by digits alone. */
  protected get readOptions(): ReadOptions {
    return { checkBoth: knowsNumericReferences(this.streams.env) };
  }

  protected override refine(error: unknown): unknown {
    if (error instanceof GuardError && error.code === TWO_PAYMENTS) return this.#withBothCommands(error);
    const isRefused = error instanceof PaydeskError && error.code === 'refused';
    if (!isRefused || !this.#session?.isOwnSandbox) return error;
    const { port } = new URL(this.#session.profile.baseUrl);
    return new TemporaryError(`${error.message} Is the sandbox running?`, {
      code: error.code,
      next: [`paydesk sandbox start${port === USUAL_PORT ? '' : ` --port ${port}`}`],
      cause: error,
    });
  }

  /** The command as it was typed, once for each of the two payments. */
  #withBothCommands({ message, code, details, next, cause }: GuardError): GuardError {
    const [byId = ''] = next;
    const [, digits = ''] = /id:(\d+)$/.exec(byId) ?? [];
    const typed = this.typed.split(' ');
    const commands = ['id', 'ref'].map((prefix) =>
      typed.map((word) => (word === digits ? `${prefix}:${digits}` : word)).join(' '),
    );
    return new GuardError(message, { code, details, next: typed.includes(digits) ? commands : next, cause });
  }

  /** For what changes something: whether the app is live is known before anybody is asked to confirm. */
  protected async changingSession(): Promise<ChangingSession> {
    return verifyKind(await this.session(), (line) => this.note(line));
  }
}
