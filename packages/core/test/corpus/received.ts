import type { Reply } from '../../src/index.ts';
import { remainsOf } from './put-back.ts';
import type { Protocol } from './recordings.ts';
import { isRecord, listAt, memberTexts, parseSource, partTexts } from './source-json.ts';

/** Whether a reply is exactly the response: its messages, as they stood there, cut out of the envelope. */
export function isWhole(protocol: Protocol, body: string, reply: Reply): boolean {
  const raws = [reply.message, ...reply.alternatives.map((alternative) => alternative.message)].map(({ raw }) => raw);
  const cutOut = (texts: readonly string[]): boolean => {
    const remains = remainsOf(body, reply.envelope, texts.length);
    return remains?.every((text, index) => text === texts[index]) ?? false;
  };
  const [raw = ''] = raws;
  switch (protocol) {
    case 'openai-chat':
      return cutOut(raws);
    case 'anthropic-messages': {
      const [role, content] = memberTexts(raw);
      return role?.[0] === 'role' && content !== undefined && cutOut([content[1]]);
    }
    case 'google-interactions':
    case 'openai-responses': {
      // White space between items belongs to the list, not to the items.
      const [output] = remainsOf(body, reply.envelope, 1) ?? [];
      return output !== undefined && raw === `[${partTexts(output).join(',')}]`;
    }
    case 'google-generatecontent':
      // Where no candidate has content, an empty message stands for what is not there.
      return hasContent(body) ? cutOut(raws) : reply.envelope === body;
  }
}

function hasContent(body: string): boolean {
  return listAt(parseSource(body), 'candidates').some(
    (candidate) => isRecord(candidate) && isRecord(candidate.content),
  );
}

/** The parts of a message, by the paths that losses name them with: blocks, items, or members. */
export function partsOf(protocol: Protocol, raw: string): [path: string, text: string][] {
  if (protocol === 'openai-responses' || protocol === 'google-interactions')
    return partTexts(raw).map((text, index) => [`[${index}]`, text]);
  const members = memberTexts(raw);
  if (protocol === 'openai-chat') return members;
  const list = protocol === 'anthropic-messages' ? 'content' : 'parts';
  return members.flatMap(([name, text]): [string, string][] =>
    name === list ? partTexts(text).map((part, index) => [`${name}[${index}]`, part]) : [],
  );
}
