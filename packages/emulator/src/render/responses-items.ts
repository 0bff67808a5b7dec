/** Output items of the Responses API, with the events that each is streamed in. */
import { isObject, type Json } from '../json.ts';
import { pieces } from '../reply/pieces.ts';
import type { ImageBlock, MessageReply, RefusalBlock, ReplyBlock, TextBlock } from '../reply/reply.ts';
import { extraOf, inputText, type RenderContext } from './rendered.ts';

/** An event without its place in the stream. */
interface ItemEvent {
  readonly type: string;
  readonly data: Json;
}

export interface Item {
  /** As it stands in the finished response. */
  readonly item: Json;
  /** As `output_item.added` and `output_item.done` show it. */
  readonly added: Json;
  readonly done: Json;
  /** What comes between the two. */
  readonly events: readonly ItemEvent[];
}

const say = (type: string, data: Json): ItemEvent => ({ type: `response.${type}`, data });

const wantsCiphertext = ({ include }: Json): boolean =>
  Array.isArray(include) && include.includes('reasoning.encrypted_content');

/** The ciphertext differs wherever the item is shown, and each is accepted later (docs/wire-rules.md, "Surprises"). */
function reasoning(
  text: string,
  given: string | undefined,
  reply: MessageReply,
  context: RenderContext,
  more: Json,
): Item {
  const { mint, model, request } = context;
  const { extra = {}, pieces: size = 16 } = reply;
  const base = { id: mint.id('rs_', 50), type: 'reasoning' };
  const secret = (): Json =>
    wantsCiphertext(request) || given !== undefined ? { encrypted_content: given ?? mint.seal({ model }) } : {};
  const part = { type: 'summary_text', text, ...extra.part };
  const summary = text === '' ? [] : [part];
  const at = { item_id: base.id, summary_index: 0 };
  const full = (): Json => ({ ...base, summary, ...secret(), ...more });
  return {
    item: full(),
    added: { ...base, summary: [], ...secret(), ...more },
    done: full(),
    events:
      text === ''
        ? []
        : [
            say('reasoning_summary_part.added', { ...at, part: { ...part, text: '' } }),
            ...pieces(text, size).map((delta) => say('reasoning_summary_text.delta', { ...at, delta })),
            say('reasoning_summary_text.done', { ...at, text }),
            say('reasoning_summary_part.done', { ...at, part }),
          ],
  };
}

function message(blocks: readonly (TextBlock | RefusalBlock)[], reply: MessageReply, context: RenderContext): Item {
  const { extra = {}, pieces: size = 16 } = reply;
  const id = context.mint.id('msg_', 50);
  const parts = blocks.map((block): Json => {
    const more = { ...extra.part };
    if (block.type === 'refusal') return { type: 'refusal', refusal: block.text, ...more };
    return { type: 'output_text', annotations: [], logprobs: [], text: block.text, ...more };
  });
  const own = Object.assign({}, ...blocks.map(extraOf)) as Json;
  const more = { role: 'assistant', ...extra.message, ...extra.block, ...own };
  const item = { id, type: 'message', status: 'completed', content: parts, ...more };
  return {
    item,
    done: item,
    added: { id, type: 'message', status: 'in_progress', content: [], ...more },
    events: blocks.flatMap((block, content_index) => {
      const at = { item_id: id, content_index };
      const [name, field] = block.type === 'refusal' ? ['refusal', 'refusal'] : ['output_text', 'text'];
      const logprobs = block.type === 'refusal' ? {} : { logprobs: [] };
      const part = parts[content_index] ?? {};
      return [
        say('content_part.added', { ...at, part: { ...part, [field]: '' } }),
        ...pieces(block.text, size).map((delta) => say(`${name}.delta`, { ...at, delta, ...logprobs })),
        say(`${name}.done`, { ...at, [field]: block.text, ...logprobs }),
        say('content_part.done', { ...at, part }),
      ];
    }),
  };
}

function call(block: Extract<ReplyBlock, { type: 'tool-use' }>, reply: MessageReply, { mint }: RenderContext): Item {
  const id = mint.id('fc_', 50);
  const text = inputText(block);
  const rest = {
    call_id: block.id ?? mint.id('call_', 24),
    name: block.name,
    ...reply.extra?.block,
    ...extraOf(block),
  };
  const item = { id, type: 'function_call', status: 'completed', arguments: text, ...rest };
  return {
    item,
    done: item,
    added: { id, type: 'function_call', status: 'in_progress', arguments: '', ...rest },
    events: [
      ...pieces(text, reply.pieces ?? 16).map((delta) => say('function_call_arguments.delta', { item_id: id, delta })),
      say('function_call_arguments.done', { item_id: id, arguments: text }),
    ],
  };
}

function image(block: ImageBlock, { mint }: RenderContext, more: Json): Item {
  const base = { id: mint.id('ig_', 50), type: 'image_generation_call' };
  const format = (block.mediaType ?? 'image/png').slice('image/'.length);
  const item = { ...base, status: 'completed', output_format: format, result: block.data, ...more };
  return {
    item,
    done: item,
    added: { ...base, status: 'in_progress', ...more },
    events: ['in_progress', 'generating', 'completed'].map((word) =>
      say(`image_generation_call.${word}`, { item_id: base.id }),
    ),
  };
}

const isText = (block: ReplyBlock | undefined): block is TextBlock | RefusalBlock =>
  block?.type === 'text' || block?.type === 'refusal';

/** Neighbouring texts are parts of one message item. */
export function itemsOf(reply: MessageReply, context: RenderContext): readonly Item[] {
  const items: Item[] = [];
  let texts: (TextBlock | RefusalBlock)[] = [];
  for (const [index, block] of reply.blocks.entries()) {
    const more = { ...reply.extra?.block, ...extraOf(block) };
    if (isText(block)) {
      texts.push(block);
      if (isText(reply.blocks[index + 1])) continue;
      items.push(message(texts, reply, context));
      texts = [];
    } else if (block.type === 'thinking') items.push(reasoning(block.text, block.signature, reply, context, more));
    else if (block.type === 'redacted-thinking') items.push(reasoning('', undefined, reply, context, more));
    else if (block.type === 'tool-use') items.push(call(block, reply, context));
    else if (block.type === 'image') items.push(image(block, context, more));
    else if (isObject(block.value))
      items.push({ item: block.value, added: block.value, done: block.value, events: [] });
  }
  return items;
}
