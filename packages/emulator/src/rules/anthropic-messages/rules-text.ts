/** Empty content, whitespace and prefill. */
import { isObject, type Json } from '../../json.ts';
import type { Context } from './context.ts';
import { takesPrefill } from './models.ts';
import { first, type Rule } from './rule.ts';
import { contentBlocks, isServerCall, isServerResult, place } from './turns.ts';

const isBlankText = (block: Json): boolean => block.type === 'text' && `${block.text}`.trim() === '';

/** Every text block of the request, nested ones too. */
function textBlocks({ system, blocks }: Context): readonly Json[] {
  const nested = blocks.flatMap(({ block }) => (Array.isArray(block.content) ? block.content.filter(isObject) : []));
  return [...system, ...blocks.map(({ block }) => block), ...nested].filter(({ type }) => type === 'text');
}

export const textRules: readonly Rule[] = [
  {
    id: 'empty-message',
    check: ({ messages }) =>
      first(messages.entries(), ([index, message]) => {
        const exempt =
          (message.role === 'assistant' && index === messages.length - 1) ||
          (message.role === 'system' && isObject(message.output_config) && message.content === undefined);
        return contentBlocks(message.content).length === 0 && !exempt
          ? `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
          : undefined;
      }),
  },
  {
    id: 'empty-text',
    check: (context) =>
      textBlocks(context).some(({ text }) => text === '')
        ? 'messages: text content blocks must be non-empty'
        : undefined,
  },
  {
    // Blank text beside anything else is accepted (wire-rules, "surprises").
    id: 'whitespace-text',
    check: ({ messages }) =>
      messages.map(({ content }) => contentBlocks(content)).some((all) => all.length > 0 && all.every(isBlankText))
        ? 'messages: text content blocks must contain non-whitespace text'
        : undefined,
  },
  {
    // A paused turn is continued by sending the reply, which then ends in server tool blocks.
    id: 'prefill',
    check: ({ turns, model }) => {
      const last = turns.at(-1);
      const end = last?.blocks.at(-1);
      return last?.role !== 'assistant' || takesPrefill(model) || isServerCall(end) || isServerResult(end)
        ? undefined
        : 'This model does not support assistant message prefill. The conversation must end with a user message.';
    },
  },
  {
    id: 'trailing-space',
    check: ({ messages }) => {
      const last = messages.at(-1);
      const end = last && place(last, 0).at(-1)?.block;
      return last?.role === 'assistant' && end?.type === 'text' && /\s$/.test(`${end.text}`)
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
];
