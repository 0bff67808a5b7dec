import { type ContentBlock, contentText, viewBlocks } from './blocks.ts';
import { BLOCKS_ORIGIN, createMessage, type Facts, type Message, type Origin } from './message.ts';

export type Content = string | readonly ContentBlock[];

export function system(content: Content): Message {
  return blocksMessage(`{"role":"system","content":${toText(content)}}`);
}

export function user(content: Content): Message {
  return blocksMessage(`{"role":"user","content":${toText(content)}}`);
}

export function assistant(content: Content): Message {
  return blocksMessage(`{"role":"assistant","content":${toText(content)}}`);
}

/** The result of a tool call. `isError` tells the model that the call failed. */
export function toolResult(callId: string, content: Content, options: { readonly isError?: boolean } = {}): Message {
  const failed = options.isError ? ',"is_error":true' : '';
  return blocksMessage(
    `{"role":"tool","tool_call_id":${JSON.stringify(callId)}${failed},"content":${toText(content)}}`,
  );
}

/** A message from a text in Skein's own content-block JSON. */
export function blocksMessage(raw: string, origin: Origin = BLOCKS_ORIGIN, facts?: Facts): Message {
  const message = createMessage(raw, origin, viewBlocks, facts);
  if (!facts) void message.content;
  return message;
}

function toText(content: Content): string {
  if (typeof content === 'string') return contentText([{ type: 'text', text: content }]);
  if (Array.isArray(content)) return contentText(content);
  throw new TypeError(
    `Content must be a string or a list of blocks, not ${typeof content}; pass an object as JSON.stringify(object)`,
  );
}
