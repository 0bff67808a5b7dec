/** What of a history is neither in the request nor among its losses. */
import {
  type ContentBlock,
  canonical,
  type Dialect,
  isJson,
  type Message,
  type RequestParts,
  type WrittenRequest,
} from '@skein/core';

export function silentLosses(history: readonly Message[], written: WrittenRequest, target: Dialect): string[] {
  const sent = seen(target.readRequest(written.body));
  return history.flatMap((message, index) => {
    if (written.losses.some((loss) => loss.message === index)) return [];
    const missing = [...things(message.content)].filter((thing) => !isSent(thing, sent));
    return missing.map((thing) => `message ${index}: ${thing}`);
  });
}

interface Seen {
  readonly text: string;
  readonly things: ReadonlySet<string>;
}

function seen({ system, messages }: RequestParts): Seen {
  const all = [...(system ? [system] : []), ...messages].flatMap((message) => [...things(message.content)]);
  return { text: all.filter((thing) => thing.startsWith(TEXT)).join('\n'), things: new Set(all) };
}

const TEXT = 'text ';

/** Text may be joined with other text; everything else must be there as it was. */
const isSent = (thing: string, sent: Seen): boolean =>
  thing.startsWith(TEXT) ? sent.text.includes(thing.slice(TEXT.length)) : sent.things.has(thing);

function* things(content: readonly ContentBlock[]): Iterable<string> {
  for (const block of content) {
    if (block.type === 'tool-result') yield* things(block.content);
    if ((block.type === 'text' || block.type === 'refusal') && block.text !== '') yield TEXT + block.text;
    if (block.type === 'tool-use') yield `call ${block.name} ${argumentsOf(block.rawParameters)}`;
    if (block.type === 'reasoning') yield `reasoning ${block.text}`;
    if (block.type === 'media') yield `media ${block.mediaType.split('/')[0]} ${Object.values(block.source).join(' ')}`;
    if (block.type === 'unknown') yield `unknown ${block.native}`;
  }
}

const argumentsOf = (raw: string): string => (raw.trim() === '' ? '{}' : isJson(raw) ? canonical(raw) : raw);
