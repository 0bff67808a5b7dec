import { z } from '@hono/zod-openapi';
import type { ContentBlock, ToolResultBlock as CoreToolResult, ToolUseBlock as CoreToolUse } from '@skein/core';
import { assertSame, type IsSameOnWire } from './wire.ts';

/** The blocks of a message as the API sends them: the one definition for routes, OpenAPI, the typed client and the page. */

const Citation = z
  .object({
    url: z.string().optional(),
    title: z.string().optional(),
    quote: z.string().optional(),
    native: z.string().openapi({ description: "The provider's own JSON text of it" }),
  })
  .openapi('Citation');

const MediaSource = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('base64'), data: z.string() }),
    z.object({ kind: z.literal('url'), url: z.string() }),
    z
      .object({ kind: z.literal('file'), id: z.string() })
      .openapi({ description: 'A file that the provider holds; it means nothing to other providers' }),
  ])
  .openapi('MediaSource');

const TextBlock = z
  .object({ type: z.literal('text'), text: z.string(), citations: z.array(Citation).optional() })
  .openapi('TextBlock');

const ToolUseBlock = z
  .object({
    type: z.literal('tool-use'),
    id: z.string().openapi({ description: 'Pairs the call with its result' }),
    name: z.string(),
    rawParameters: z.string().openapi({ description: 'The arguments exactly as the model wrote them' }),
    form: z.literal('custom').optional().openapi({ description: 'The tool takes free text instead of arguments' }),
  })
  .openapi('ToolUseBlock');

const ToolResultBlock = z
  .object({
    type: z.literal('tool-result'),
    toolCallId: z.string(),
    get content(): z.ZodArray<z.ZodType<Block>> {
      return z.array(Block);
    },
    isError: z.boolean(),
  })
  .openapi('ToolResultBlock');

const ReasoningBlock = z
  .object({
    type: z.literal('reasoning'),
    text: z.string(),
    redacted: z.boolean().openapi({ description: 'The provider keeps the thoughts to itself' }),
  })
  .openapi('ReasoningBlock');

const MediaBlock = z
  .object({
    type: z.literal('media'),
    mediaType: z.string().openapi({ example: 'image/png' }),
    source: MediaSource,
    name: z.string().optional(),
  })
  .openapi('MediaBlock');

const RefusalBlock = z.object({ type: z.literal('refusal'), text: z.string() }).openapi('RefusalBlock');

const UnknownBlock = z
  .object({ type: z.literal('unknown'), native: z.string().openapi({ description: "The provider's own JSON text" }) })
  .openapi('UnknownBlock');

/** A later version may have more kinds: a client shows a kind that it does not know as it shows `unknown`. */
export const Block: z.ZodType<Block> = z
  .discriminatedUnion('type', [
    TextBlock,
    ToolUseBlock,
    ToolResultBlock,
    ReasoningBlock,
    MediaBlock,
    RefusalBlock,
    UnknownBlock,
  ])
  .openapi('Block', { description: 'A part of a message. Treat a type that you do not know as `unknown`.' });

export type Block =
  | z.infer<typeof TextBlock>
  | z.infer<typeof ToolUseBlock>
  | { type: 'tool-result'; toolCallId: string; content: Block[]; isError: boolean }
  | z.infer<typeof ReasoningBlock>
  | z.infer<typeof MediaBlock>
  | z.infer<typeof RefusalBlock>
  | z.infer<typeof UnknownBlock>;

/** Core's blocks without the arguments of calls by value: an integer that a double cannot hold would change in JSON. */
type SentBlock =
  | Exclude<ContentBlock, CoreToolUse | CoreToolResult>
  | Omit<CoreToolUse, 'parameters'>
  | (Omit<CoreToolResult, 'content'> & { readonly content: readonly SentBlock[] });

assertSame<IsSameOnWire<Block, SentBlock>>();

/** The block without the arguments of a call by value; they go as their exact text. */
export function toBlock(block: ContentBlock): Block {
  switch (block.type) {
    case 'tool-use': {
      const { parameters: _byValue, ...rest } = block;
      return rest;
    }
    case 'tool-result':
      return { ...block, content: block.content.map(toBlock) };
    case 'text': {
      const { citations, ...rest } = block;
      return { ...rest, ...(citations && { citations: [...citations] }) };
    }
    case 'reasoning':
    case 'media':
    case 'refusal':
    case 'unknown':
      return { ...block };
    default:
      return passThrough(block);
  }
}

/** The compiler says so when a kind of block has no case above; at run time a block of another version passes. */
function passThrough(block: never): Block {
  return block;
}
