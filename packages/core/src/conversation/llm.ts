import { LlmBuilder } from './builder.ts';
import { Conversation, readFrom, type Source } from './conversation.ts';
import { MessageList } from './message-list.ts';
import type { ReadOptions } from './read-saved.ts';

/** Where builders begin: each that runs gets a conversation of its own. */
class Llm extends LlmBuilder {
  constructor() {
    super({ conversationFor: () => new Conversation() });
  }

  /** A saved conversation, from its JSON as text or value, or from a stream. It can go on with any provider. */
  load(saved: Source, options?: ReadOptions): Promise<Conversation>;
  load(saved: string | object, options?: ReadOptions): Conversation;
  load(saved: string | object, options: ReadOptions = {}): Conversation | Promise<Conversation> {
    if (!isSource(saved)) return new Conversation({ messages: MessageList.fromJSON(saved, options) });
    return readFrom(saved).then((text) => this.load(text, options));
  }
}

function isSource(saved: string | object): saved is Source {
  return typeof saved === 'object' && saved !== null && Symbol.asyncIterator in saved;
}

/** `llm.agent('You are brief').request('Hello').prompt()` */
export const llm: Llm = /* @__PURE__ */ new Llm();
