import { openDatabase } from './desk-database.js';
import { verifyKind, type Session } from './session.js';
import type { PaydeskError } from '../errors.js';
import { type Line, plainLine, toned } from '../output/lines.js';
import { describeError } from '../output/report.js';
import { loadTheme } from '../output/theme.js';
import { tookTime } from '../output/time.js';
import { liveBanner } from '../output/views/live.js';
import { requestLines, webhookRequest } from '../output/views/webhook-request.js';
import type { ChaosKind } from '../webhooks/forwarding/chaos.js';
import type { Expectation } from '../webhooks/expectation.js';
import { isSuccess } from '../webhooks/forwarding/forwarder.js';
import { createInbox, type WholeDelivery } from '../webhooks/inbox/inbox.js';
import type { ListenEvent } from '../webhooks/listen.js';
import { replayMarks, replayTo } from '../webhooks/forwarding/replay.js';
import { createSender } from '../webhooks/forwarding/sender.js';
import { type Filter, needsRead, passes, type Target } from '../webhooks/forwarding/targets.js';
import { chooseTunnel } from '../webhooks/tunnels/choose.js';
import type { Tunnel } from '../webhooks/tunnels/tunnel.js';
import { ConfirmingCommand } from './confirming-command.js';
import { type Listening, openListening } from './listening.js';
import {
  createJsonPresenter,
  createLogPresenter,
  createTablePresenter,
  type Presenter,
} from './listen-presenter.js';
import type { ScreenInput } from './live-screen.js';

export interface ListenRequest {
  tunnel: Tunnel;
  targets: readonly Target[];
  filter: Filter;
  port: number | undefined;
  ack: 'immediate' | 'forwarded';
  chaos: { kinds: ChaosKind[] | undefined; seed: number | undefined };
  expectation: Expectation;
  inspect: boolean;
}

/** A command that listens for webhooks until something ends it. */
export abstract class ListeningCommand extends ConfirmingCommand {
  /** What happens is shown as it happens. */
  protected override get tellsWaiting(): boolean {
    return false;
  }

  /** A tunnel of somebody else reads along: on a live app somebody must say that this is meant. */
  protected async chooseWay(
    session: Session,
    { tunnel: text = 'auto', confirm }: { tunnel?: string | undefined; confirm?: string | undefined },
  ): Promise<Tunnel> {
    const { env } = this.streams;
    const { baseUrl } = session.profile;
    const { tunnel, because } = await chooseTunnel({ text, baseUrl, env });
    if (because !== undefined) this.note(toned('dim', because));
    if (!tunnel.thirdParty) {
      this.note(...liveBanner(session.profile));
      return tunnel;
    }
    const { profile } = await verifyKind(session, (line) => this.note(line));
    if (profile.kind !== 'live') return tunnel;
    const guard = this.openGuard(profile, confirm);
    await this.askFirst(
      guard,
      `The tunnel ${tunnel.name} is run by a third party, who can read every webhook.`,
    );
    return tunnel;
  }

  /** Listens and shows what comes; rejects with the error to end with. */
  protected async listen({ profile, client }: Session, request: ListenRequest): Promise<void> {
    const database = await openDatabase(this.streams.env);
    this.atEnd(database.close);
    const place = { baseUrl: profile.baseUrl, appId: profile.appId };
    const inbox = createInbox(database.store);
    const sender = createSender(Date.now);
    this.atEnd(() => sender.close());
    let listening: Listening | undefined;
    const find = async (id: number) => {
      const found = (await inbox.find(place, id)) as WholeDelivery;
      return { ...found, secret: listening?.listener.secret ?? '' };
    };
    const replay = async (id: number): Promise<Line> => {
      const { targets } = request;
      if (targets.length === 0) return `There is no target: paydesk webhook replay ${id} --to URL`;
      const desk = { store: database.store, inbox, place, sender, now: Date.now };
      const whole = await find(id);
      const done = await Promise.all(targets.map((target) => replayTo(desk, whole, target, replayMarks(id))));
      const told = done.map(({ attempt }) => `${attempt.status ?? attempt.error} in ${tookTime(attempt.ms)}`);
      const good = done.every(({ attempt }) => isSuccess(attempt.status));
      return toned(good ? 'good' : 'bad', `Replayed ${id}: ${told.join(', ')}`);
    };
    const presenter = await this.#presenter(request, {
      details: async (id) => webhookRequest(await find(id), this.#terminalLook()),
      request: async (id) => requestLines(await find(id)).map((line) => ['    ', plainLine(line)]),
      replay,
      end: (error) => listening?.end(error),
    });
    const shows = showsEvent(request.filter);
    try {
      listening = await openListening({
        ...request,
        database,
        client,
        place,
        interactive: this.interactive,
        signal: this.signal,
        note: (...lines) => this.note(...lines),
        onEvent: (event) => void (shows(event) && presenter.event(event)),
        onError: (error) => presenter.trouble(troubleText(error)),
      });
      await this.#announce(listening, request, presenter);
      const ending = await listening.ended;
      presenter.close();
      await listening.stop();
      if (ending) throw ending;
    } catch (error) {
      presenter.close();
      throw error;
    }
  }

  async #announce({ listener, chaos }: Listening, { targets }: ListenRequest, presenter: Presenter) {
    const { secret, url, localUrl } = listener;
    this.secrets.add(secret);
    for (const { target, count } of await listener.waitingElsewhere()) {
      this.note(
        `${count} webhooks are still waiting to be forwarded to ${target}, which is not a target of this ` +
          `listener.`,
      );
    }
    await presenter.ready({
      url,
      localUrl,
      secret,
      targets: targets.map((target) => target.url),
      chaos: chaos && `${chaos.kinds.join(', ')}   --chaos-seed ${chaos.seed}`,
      chaosSeed: chaos?.seed,
    });
  }

  #terminalLook() {
    return { terminal: true, width: this.streams.stdout.width, now: this.now() };
  }

  async #presenter(
    { inspect }: ListenRequest,
    from: {
      details(id: number): Promise<Line[]>;
      request(id: number): Promise<Line[]>;
      replay(id: number): Promise<Line>;
      end(error?: PaydeskError): void;
    },
  ): Promise<Presenter> {
    const note = (...lines: Line[]) => this.note(...lines);
    const print = (...lines: Line[]) => this.print(...lines);
    const { terminal, width } = this.streams.stdout;
    const look = () => ({ terminal, width, now: this.now() });
    if (this.json) return createJsonPresenter((value) => this.emit(value), note);
    const dumb = this.streams.env['TERM'] === 'dumb';
    if (!this.interactive || !terminal || dumb || inspect) {
      return createLogPresenter({ print, note, look, inspect: inspect ? from.request : undefined });
    }
    const { input, output } = this.promptContext;
    return createTablePresenter(
      {
        input: input as ScreenInput,
        output,
        theme: await loadTheme(this.streams.stderr.colour),
        details: from.details,
        replay: from.replay,
        quit: () => from.end(),
        interrupt: () => this.interrupt(),
      },
      { print, note, look },
    );
  }
}

/** Deliveries that the filters leave out are kept, and not shown. */
function showsEvent(filter: Filter): (event: ListenEvent) => boolean {
  return (event) => {
    if (!('delivery' in event) || !needsRead(filter)) return true;
    return event.delivery.verdict !== null && passes(filter, { path: '', ...event.delivery });
  };
}

const troubleText = (error: unknown): string => describeError(error).message;
