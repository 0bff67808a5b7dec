import { type Tool, tool } from '@skein/core';
import type { Forest } from '@skein/forest';

/** The part of a forest that these tools use. */
export type ForestView = Pick<Forest, 'search' | 'path'>;

const MAX_HITS = 20;
const MAX_TEXT = 50_000;

/**
 * The tools `search_forest` and `read_branch`, which read earlier conversations.
 *
 * @example
 * await run({ model, messages, tools: forestTools(forest) }).result;
 */
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
      const { items } = await forest.search(String(text), { limit: MAX_HITS });
      return { hits: items.map(({ node, role, snippet }) => ({ id: node, role, text: snippet })) };
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
      const nodes = await forest.path(String(id));
      if (nodes.length === 0 || nodes.some(({ removed }) => removed))
        throw new Error('There is no message with that id. search_forest gives ids.');
      const text = nodes.map(({ role, message }) => `${role}: ${message.text}`).join('\n\n');
      // The caller asked for the end of the branch.
      return text.length > MAX_TEXT ? `[The beginning is left out.]\n${text.slice(-MAX_TEXT)}` : text;
    },
  });
