import { dialect, type Fetch, type Message, type Step } from '@skein/core';
import { secretsOf, withoutSecrets } from '../model/secrets.ts';

/** Keys are longer; a word that stands for one in a test or a demo must not be cut out of what a model says. */
const SHORTEST_KEY = 16;

const NEWLINE = 10;

/**
 * Keeps the keys that requests are signed with out of what replies say: that is stored and shown. A stream may bring a
 * key letter by letter, so it is looked for in what comes, in the events as they are stored, and in the whole message.
 */
export class KeyGuard {
  #secrets: readonly string[] = [];
  readonly #cleaned = new WeakMap<Message, Message>();

  /** A `fetch` that learns the keys, and whose answers do not repeat them. */
  wrap(fetch: Fetch): Fetch {
    return async (url, init) => {
      const found = secretsOf(new URL(url), new Headers(init.headers)).filter(({ length }) => length >= SHORTEST_KEY);
      // A new list for each new key only: what is made of it is remembered.
      if (found.some((secret) => !this.#secrets.includes(secret)))
        this.#secrets = [...new Set([...found, ...this.#secrets])];
      const response = await fetch(url, init);
      const type = response.headers.get('content-type') ?? '';
      if (!response.body || this.#secrets.length === 0 || !/json|^text\//.test(type)) return response;
      const { status, statusText, headers } = response;
      return new Response(response.body.pipeThrough(cleaning(this.#secrets)), { status, statusText, headers });
    };
  }

  text(text: string): string {
    return withoutSecrets(text, this.#secrets);
  }

  /** The message itself where it holds no key. */
  message(message: Message): Message {
    const known = this.#cleaned.get(message);
    if (known) return known;
    const raw = this.text(message.raw);
    const clean = raw === message.raw ? message : dialect(message.origin.dialect).parseMessage(raw, message.origin);
    this.#cleaned.set(message, clean);
    return clean;
  }

  step(step: Step): Step {
    return {
      ...step,
      message: this.message(step.message),
      alternatives: step.alternatives.map((other) => ({ ...other, message: this.message(other.message) })),
      envelope: this.text(step.envelope),
    };
  }
}

/** Line by line: no key goes over the end of one, and nobody can use an event before its line is complete. */
function cleaning(secrets: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  let held: Uint8Array[] = [];
  // One character for each byte, so that whatever holds no key stays what it is.
  const clean = (bytes: Buffer) => Buffer.from(withoutSecrets(bytes.toString('latin1'), secrets), 'latin1');
  return new TransformStream({
    transform(chunk, controller) {
      const end = chunk.lastIndexOf(NEWLINE) + 1;
      if (end > 0) controller.enqueue(clean(Buffer.concat([...held.splice(0), chunk.subarray(0, end)])));
      if (end < chunk.length) held.push(chunk.subarray(end));
    },
    flush(controller) {
      if (held.length > 0) controller.enqueue(clean(Buffer.concat(held)));
      held = [];
    },
  });
}
