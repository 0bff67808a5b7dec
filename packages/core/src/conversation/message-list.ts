import type { Manifest } from '../dialects/index.ts';
import type { Message, Role } from '../message/index.ts';
import { type ReadOptions, readSaved } from './read-saved.ts';
import { type SavedMessages, toSaved } from './saved.ts';

/** The messages of a conversation, in order. Messages never change; the list may grow. */
export class MessageList implements Iterable<Message> {
  readonly #messages: Message[];
  /** Of the last request: given as `previous`, what was sent is sent again as it was. Saved with the messages. */
  manifest: Manifest | undefined;

  constructor(messages: Iterable<Message> = [], manifest?: Manifest) {
    this.#messages = [...messages];
    this.manifest = manifest;
  }

  /**
   * Reads what `toJSON` made, as a value or as text. A bare array of messages is read when `dialect` says what it is
   * written in; give it as text, so that every message keeps its exact spelling.
   */
  static fromJSON(saved: unknown, options: ReadOptions = {}): MessageList {
    const { messages, manifest } = readSaved(saved, options);
    return new MessageList(messages, manifest);
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The message at an index; negative ones count from the end. */
  at(index: number): Message | undefined {
    return this.#messages.at(index);
  }

  append(message: Message): this {
    this.#messages.push(message);
    return this;
  }

  extend(messages: Iterable<Message>): this {
    // Copied first, so that a list can be added to itself.
    for (const message of [...messages]) this.#messages.push(message);
    return this;
  }

  copy(): MessageList {
    return new MessageList(this.#messages, this.manifest);
  }

  withRole(role: Role): Message[] {
    return this.#messages.filter((message) => message.role === role);
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.#messages[Symbol.iterator]();
  }

  /** Exact texts, origins, and the facts that sending needs. */
  toJSON(): SavedMessages {
    return toSaved(this.#messages, this.manifest);
  }
}
