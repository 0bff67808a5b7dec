/** Rules about content: system messages, text, which blocks may be in which message, `cache_control`. */

import { isObject, type Json } from '../../json.ts';
import { first } from '../verdict.ts';
import {
  type AnthropicRule,
  type Context,
  isServerCall,
  isServerResult,
  isThinking,
  type PlacedBlock,
  placeBlocks,
} from './context.ts';
import { takesPrefill, takesSystemRole } from './models.ts';
import { contentBlocks } from './prefix.ts';

export const systemRules: readonly AnthropicRule[] = [
  {
    id: 'system-role',
    check: ({ turns, model }) =>
      turns.some((turn) => turn.role === 'system') && !takesSystemRole(model)
        ? "role 'system' is not supported on this model"
        : undefined,
  },
  {
    // Consecutive system messages are one turn and are accepted (wire-rules, "surprises").
    id: 'system-placement',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        if (turn.role !== 'system') return undefined;
        const before = turns[index - 1];
        const end = before?.blocks.at(-1);
        const follows = before?.role === 'user' || isServerCall(end) || isServerResult(end);
        return follows
          ? undefined
          : `messages.${turn.first}: role 'system' must follow a 'user' message or an 'assistant' message that ends in a server tool use`;
      }),
  },
  {
    id: 'system-placement-after',
    check: ({ turns }) =>
      first(turns.entries(), ([index, turn]) => {
        const after = turns[index + 1];
        return turn.role !== 'system' || after === undefined || after.role === 'assistant'
          ? undefined
          : `messages.${turn.first}: role 'system' must be the last message or be followed by an 'assistant' message`;
      }),
  },
];

const isBlankText = (block: Json): boolean => block.type === 'text' && `${block.text}`.trim() === '';

/** Every text block of the request, including nested ones. */
function textBlocks({ system, blocks }: Context): readonly Json[] {
  const nested = blocks.flatMap(({ block }) => (Array.isArray(block.content) ? block.content.filter(isObject) : []));
  return [...system, ...blocks.map(({ block }) => block), ...nested].filter(({ type }) => type === 'text');
}

export const textRules: readonly AnthropicRule[] = [
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
      const end = last && placeBlocks(last, 0).at(-1)?.block;
      return last?.role === 'assistant' && end?.type === 'text' && /\s$/.test(`${end.text}`)
        ? 'messages: final assistant content cannot end with trailing whitespace'
        : undefined;
    },
  },
];

const USER_ONLY = new Set(['tool_result', 'image', 'document', 'search_result', 'container_upload']);
const isAssistantOnly = (placed: PlacedBlock): boolean =>
  placed.type === 'tool_use' || isThinking(placed) || isServerCall(placed) || isServerResult(placed);

export const blockRules: readonly AnthropicRule[] = [
  {
    // Named in wire-rules "Unsure" 9: the rule is certain, its wording is not.
    id: 'block-role',
    check: ({ turns }) =>
      first(turns, ({ role, blocks }) => {
        const stray = blocks.find((placed) =>
          role === 'assistant' ? USER_ONLY.has(placed.type) : isAssistantOnly(placed),
        );
        const allowed = role === 'assistant' ? 'user' : 'assistant';
        return stray && `${stray.path}: \`${stray.type}\` blocks can only be in \`${allowed}\` messages`;
      }),
  },
];

interface CacheMark {
  readonly path: string;
  readonly holder: Json;
}

const nested = ({ path, holder }: CacheMark): readonly CacheMark[] =>
  Array.isArray(holder.content)
    ? holder.content.filter(isObject).map((item, index) => ({ path: `${path}.content.${index}`, holder: item }))
    : [];

const isMarked = ({ holder }: CacheMark): boolean => isObject(holder.cache_control);

/** Everything with a `cache_control`, in the API's order: tools, system, messages; a tool result after its content. */
function cacheMarks({ tools, system, blocks }: Context): readonly CacheMark[] {
  const all: readonly CacheMark[] = [
    ...tools.map((holder, index) => ({ path: `tools.${index}`, holder })),
    ...system.map((holder, index) => ({ path: `system.${index}`, holder })),
    ...blocks.map(({ path, block }) => ({ path, holder: block })),
  ];
  return all.flatMap((item) => [...nested(item), item]).filter(isMarked);
}

const ttl = ({ holder: { cache_control: control } }: CacheMark): unknown =>
  isObject(control) ? (control.ttl ?? '5m') : '5m';

export const cacheRules: readonly AnthropicRule[] = [
  {
    id: 'cache-empty',
    check: (context) => {
      const empty = cacheMarks(context).find(({ holder }) => holder.type === 'text' && holder.text === '');
      return empty && `${empty.path}.text: cache_control cannot be set for empty text blocks`;
    },
  },
  {
    id: 'cache-max',
    check: (context) => {
      const found = cacheMarks(context).length;
      return found > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${found}.` : undefined;
    },
  },
  {
    id: 'cache-ttl-order',
    check: (context) => {
      const all = cacheMarks(context);
      const late = all.findIndex(
        (item, index) => ttl(item) === '1h' && all.slice(0, index).some((other) => ttl(other) === '5m'),
      );
      return late < 0
        ? undefined
        : `${all[late]?.path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`;
    },
  },
  {
    // "Unsure" 8: Copilot and Vertex refuse it.
    id: 'cache-in-tool-result',
    unsure: true,
    check: ({ blocks }) =>
      first(blocks, ({ type, path, block }) => {
        const inner = type === 'tool_result' ? nested({ path, holder: block }).find(isMarked) : undefined;
        return inner && `${inner.path}.cache_control: not allowed inside tool_result.content by every host`;
      }),
  },
];
