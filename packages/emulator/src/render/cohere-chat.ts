import { type Json, plain } from '../json.ts';
import type { ReplyBlock, ReplyStop } from '../reply.ts';
import {
  countUsage,
  event,
  inputText,
  isCall,
  type RenderContext,
  type Renderer,
  readExtra,
  readStop,
  type SseEvent,
  splitText,
} from './renderer.ts';

const STOPS: Readonly<Record<ReplyStop, string>> = {
  end: 'COMPLETE',
  'tool-use': 'TOOL_CALL',
  'max-tokens': 'MAX_TOKENS',
  'stop-sequence': 'STOP_SEQUENCE',
  refusal: 'COMPLETE',
  pause: 'COMPLETE',
};

/** A part of the content; calls stand beside it. */
function nativePart(block: ReplyBlock): Json {
  switch (block.type) {
    case 'thinking':
      return { type: 'thinking', thinking: block.text };
    case 'redacted-thinking':
      return { type: 'thinking', thinking: '(withheld)' };
    case 'native':
      return block.value;
    default:
      return { type: 'text', text: 'text' in block ? block.text : '(an image)' };
  }
}

function nativeCall(block: ReplyBlock, { mint }: RenderContext): Json {
  if (!isCall(block)) return {};
  const called = { name: block.name, arguments: inputText(block) };
  return { id: block.id ?? mint.id(`${block.name}_`, 12), type: 'function', function: called };
}

export const renderCohereChat: Renderer = (reply, context) => {
  const { extra = {}, blocks, pieces: size = 16 } = reply;
  const told = blocks.filter((block) => !isCall(block));
  const content = told.map(
    (block): Json =>
      block.type === 'native' ? nativePart(block) : { ...nativePart(block), ...extra.block, ...readExtra(block) },
  );
  const calls = blocks
    .filter(isCall)
    .map((block): Json => ({ ...nativeCall(block, context), ...extra.block, ...readExtra(block) }));
  const { input, output, cached } = countUsage(reply, context);
  const counts = { input_tokens: input, output_tokens: output };
  const usage = { billed_units: counts, tokens: counts, cached_tokens: cached, ...extra.usage };
  const finish_reason = reply.nativeStop ?? STOPS[readStop(reply)];
  const id = reply.id ?? context.mint.id('', 32);
  const message = {
    role: 'assistant',
    ...(content.length > 0 && { content }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...extra.message,
  };
  const say = (type: string, data: Json): SseEvent => event(type, { type, ...data, ...extra.event });
  const events = [
    say('message-start', {
      id,
      delta: {
        message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [], ...extra.message },
      },
    }),
    ...content.flatMap((part, index) => {
      const name = part.type === 'thinking' ? 'thinking' : 'text';
      const isWhole = told[index]?.type === 'native';
      const pieces = isWhole ? [] : splitText(`${part[name]}`, size);
      const start = isWhole ? part : { ...part, [name]: '' };
      return [
        say('content-start', { index, delta: { message: { content: start } } }),
        ...pieces.map((piece) =>
          say('content-delta', { index, delta: { message: { content: { [name]: piece, ...extra.delta } } } }),
        ),
        say('content-end', { index }),
      ];
    }),
    ...calls.flatMap((call, index) => {
      const { arguments: given, ...called } = call.function as Json;
      const start = { ...call, function: { ...called, arguments: '' } };
      const piece = (text: string) => ({ message: { tool_calls: { function: { arguments: text } } } });
      return [
        say('tool-call-start', { index, delta: { message: { tool_calls: start } } }),
        ...splitText(`${given}`, size).map((text) => say('tool-call-delta', { index, delta: piece(text) })),
        say('tool-call-end', { index }),
      ];
    }),
    say('message-end', { delta: { finish_reason, usage, ...extra.envelope } }),
  ];
  return {
    body: { id, message, finish_reason, usage, ...extra.envelope },
    events,
    message: plain(message) as Json,
  };
};
