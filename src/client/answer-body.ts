// How the body of an answer is received: whole, or piece by piece.

import type { Dispatcher } from 'undici';
import { BodyLost, type Failure } from './exchange.js';

/** A body that nobody reads is held up beyond this many bytes. */
const MAX_QUEUED = 1024 * 1024;

const decoder = new TextDecoder();

/** A body that is of use only when all of it is there. */
export class WholeBody {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** How many bytes there are with these. */
  push(chunk: Uint8Array): number {
    this.#chunks.push(chunk);
    return (this.#length += chunk.length);
  }

  text(): string {
    return decoder.decode(this.#chunks.length === 1 ? this.#chunks[0] : Buffer.concat(this.#chunks));
  }
}

/** Hands the pieces of a body from undici to one reader, and holds undici up when the reader is slow. */
export class BodyQueue implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = [];
  readonly #control: Dispatcher.DispatchController;
  readonly #giveUp: () => void;
  #queued = 0;
  #ended = false;
  #failure: Failure | undefined;
  #wake: (() => void) | undefined;

  constructor(control: Dispatcher.DispatchController, giveUp: () => void) {
    this.#control = control;
    this.#giveUp = giveUp;
  }

  push(chunk: Uint8Array, control: Dispatcher.DispatchController): void {
    this.#chunks.push(chunk);
    this.#queued += chunk.length;
    if (this.#queued > MAX_QUEUED) control.pause();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  fail(why: Failure): void {
    this.#failure = why;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk) {
          this.#queued -= chunk.length;
          if (this.#queued <= MAX_QUEUED && this.#control.paused) this.#control.resume();
          yield chunk;
        } else if (this.#failure) {
          throw new BodyLost(this.#failure);
        } else if (this.#ended) {
          return;
        } else {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      }
    } finally {
      if (!this.#ended && !this.#failure) this.#giveUp();
    }
  }
}
