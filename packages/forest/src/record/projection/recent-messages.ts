import { dialect, type Message, type Origin } from '@skein/core';

/** How many characters of messages each of the two generations keeps. */
const KEPT = 2 ** 21;

interface RecentMessage {
  /** The origin that the request gave it. */
  readonly origin: Origin;
  readonly message: Message;
}

/**
 * The messages of recent requests. A turn sends its history again, and many clients write replies in other bytes than
 * the provider: such a message is found by what it says, so it is parsed. With this, it is parsed once, not in every
 * turn.
 */
export class RecentMessages {
  #young = new Map<string, RecentMessage>();
  #old = new Map<string, RecentMessage>();
  #size = 0;
  readonly #kept: number;

  constructor(kept: number = KEPT) {
    this.#kept = kept;
  }

  /** An earlier message with the same text and origin, otherwise this one. */
  reuse(message: Message): Message {
    const { raw, origin } = message;
    const young = this.#young.get(raw);
    const known = young ?? this.#old.get(raw);
    if (known?.origin !== origin) return this.#keep({ origin, message: withOwnText(message) });
    return young ? young.message : this.#keep(known);
  }

  /** When the young generation is full, the old one is dropped as a whole. */
  #keep(recent: RecentMessage): Message {
    const { message } = recent;
    this.#young.set(message.raw, recent);
    this.#size += message.raw.length;
    if (this.#size >= this.#kept) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#size = 0;
    }
    return message;
  }
}

/** The message with a copy of its text: the text is a part of its request, and would keep all of that in memory. */
function withOwnText(message: Message): Message {
  const { raw, origin } = message;
  try {
    return dialect(origin.dialect).parseMessage(` ${raw}`.slice(1), origin);
  } catch {
    // A message that cannot be read fails where it is used.
    return message;
  }
}
