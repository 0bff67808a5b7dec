import type { Manifest } from '../dialects/index.ts';
import { type ContentBlock, checkMessages, type Message, type Role } from '../message/index.ts';
import type { Checkpoint } from '../run/index.ts';
import { type ReadOptions, readSaved } from './read-saved.ts';
import { type SavedMessages, toSaved } from './saved-messages.ts';

/**
 * The messages of a conversation, in order. Messages never change; the list may grow.
 *
 * @example
 * const list = MessageList.fromJSON(text);
 * list.append(user('Go on'));
 * const saved = JSON.stringify(list);
 */
export class MessageList implements Iterable<Message> {
  readonly #messages: Message[];
  /** Of the last request: given as `previous`, what was sent is sent again as it was. Saved with the messages. */
  manifest: Manifest | undefined;
  /** What compaction sends in place of the front of the list, for `checkpoints` of the next run. Saved, too. */
  checkpoints: readonly Checkpoint[] = [];

  constructor(messages: Iterable<Message> = [], manifest?: Manifest) {
    this.#messages = [...checkMessages(messages)];
    this.manifest = manifest;
  }

  /**
   * Reads what `toJSON` made, as a value, as text or as its bytes, and `{"version":"1.0","messages":[…]}` of the older format. A bare
   * array of messages is read when `dialect` says what it is written in; give it as text, so that every message keeps its
   * exact spelling.
   */
  static fromJSON(saved: unknown, options: ReadOptions = {}): MessageList {
    const { messages, manifest, checkpoints = [] } = readSaved(saved, options);
    const list = new MessageList(messages, manifest);
    list.checkpoints = checkpoints;
    return list;
  }

  get length(): number {
    return this.#messages.length;
  }

  /** The message at an index; negative ones count from the end. */
  at(index: number): Message | undefined {
    return this.#messages.at(index);
  }

  append(message: Message): this {
    return this.extend([message]);
  }

  extend(messages: Iterable<Message>): this {
    for (const message of checkMessages(messages)) this.#messages.push(message);
    return this;
  }

  /** Puts a message before the one at an index; at `length`, it is appended. */
  insert(index: number, message: Message): this {
    this.#messages.splice(index, 0, ...checkMessages([message]));
    return this;
  }

  copy(): MessageList {
    const copy = new MessageList(this.#messages, this.manifest);
    copy.checkpoints = this.checkpoints;
    return copy;
  }

  withRole(role: Role): Message[] {
    return this.#messages.filter((message) => message.role === role);
  }

  /** The messages that hold a block of that kind: `tool-use`, `tool-result`, `media` … */
  withBlock(type: ContentBlock['type']): Message[] {
    return this.#messages.filter((message) => message.content.some((block) => block.type === type));
  }

  [Symbol.iterator](): Iterator<Message> {
    return this.#messages[Symbol.iterator]();
  }

  /** Exact texts, origins, and the facts that sending needs. */
  toJSON(): SavedMessages {
    return toSaved(this.#messages, this.manifest, this.checkpoints);
  }
}
