import type { Reply } from '../../src/index.ts';
import { remainsOf } from './put-back.ts';
import type { Protocol } from './recordings.ts';
import { isRecord, itemTexts, parseSource } from './source-json.ts';

/**
 * The texts of a response that must come back verbatim: its message, or for protocols that wrap their content its
 * blocks, items or parts. Undefined when the reply is not exactly the response with its messages cut out.
 */
export function receivedTexts(protocol: Protocol, body: string, reply: Reply): readonly string[] | undefined {
  const messages = [reply.message, ...reply.alternatives.map((alternative) => alternative.message)];
  const cutOut = (texts: readonly string[]): boolean => {
    const remains = remainsOf(body, reply.envelope, texts.length);
    return remains?.every((text, index) => text === texts[index]) ?? false;
  };
  const [raw] = messages.map((message) => message.raw);
  if (raw === undefined) return undefined;
  switch (protocol) {
    case 'anthropic-messages': {
      const content = /^\{"role":"[a-z]+","content":([\s\S]*)\}$/.exec(raw)?.[1];
      return content !== undefined && cutOut([content]) ? itemTexts(content) : undefined;
    }
    case 'openai-responses': {
      // White space between items belongs to the list, not to the items.
      const [output] = remainsOf(body, reply.envelope, 1) ?? [];
      const items = output === undefined ? [] : itemTexts(output);
      return output !== undefined && raw === `[${items.join(',')}]` ? items : undefined;
    }
    case 'openai-chat':
      return cutOut(messages.map((message) => message.raw)) ? [raw] : undefined;
    case 'google-generatecontent': {
      const texts = contentTexts(body, messages.length);
      // A candidate without content has no text: an empty message stands for it.
      if (texts === 0) return reply.envelope === body ? [] : undefined;
      return cutOut(messages.map((message) => message.raw)) ? [raw] : undefined;
    }
  }
}

/** How many of a response's candidates have content. */
function contentTexts(body: string, candidates: number): number {
  const value = parseSource(body);
  const list = isRecord(value) && Array.isArray(value.candidates) ? value.candidates : [];
  return Math.min(candidates, list.filter((candidate) => isRecord(candidate) && isRecord(candidate.content)).length);
}
