import { type Tool, tool } from '@skein/core';

/** What these tools need of a forest. */
export interface ForestView {
  /** Nodes whose text has these words, best first. */
  search(text: string): Promise<readonly ForestHit[]>;
  /** The messages from the first to that node; empty when there is no such node. */
  path(id: string): Promise<readonly ForestMessage[]>;
}

export interface ForestHit {
  readonly id: string;
  readonly text?: string | undefined;
}

export interface ForestMessage {
  readonly role: string;
  readonly text: string;
}

const MAX_HITS = 20;
const MAX_TEXT = 50_000;

/** `search_forest` and `read_branch`: looking into earlier conversations, without changing them. */
export function forestTools(forest: ForestView): readonly Tool[] {
  return [searchForest(forest), readBranch(forest)] as readonly Tool[];
}

const searchForest = (forest: ForestView) =>
  tool({
    name: 'search_forest',
    description: 'Finds messages of earlier conversations by words, with the ids that read_branch takes.',
    input: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, description: 'Words that the message has' } },
      required: ['text'],
      additionalProperties: false,
    },
    execute: async ({ text }) => {
      const hits = await forest.search(String(text));
      return { hits: hits.slice(0, MAX_HITS).map(({ id, text: found }) => ({ id, text: found?.slice(0, 500) })) };
    },
  });

const readBranch = (forest: ForestView) =>
  tool({
    name: 'read_branch',
    description: 'Reads an earlier conversation from its beginning to one of its messages.',
    input: {
      type: 'object',
      properties: { id: { type: 'string', description: 'The id of the last message to read' } },
      required: ['id'],
      additionalProperties: false,
    },
    execute: async ({ id }) => {
      const messages = await forest.path(String(id));
      if (messages.length === 0) throw new Error('There is no message with that id. search_forest gives ids.');
      const text = messages.map((message) => `${message.role}: ${message.text}`).join('\n\n');
      // The end is what the id was asked for.
      return text.length > MAX_TEXT ? `[The beginning is left out.]\n${text.slice(-MAX_TEXT)}` : text;
    },
  });
