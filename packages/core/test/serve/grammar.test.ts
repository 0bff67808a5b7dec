import { describe, expect, it } from 'vitest';
import { type Dialect, decodeSse, dialect, isObject, type JsonObject } from '../../src/index.ts';
import { exchanges, hasCorpus, type Protocol } from '../corpus/recordings.ts';
import { readAsBlocks } from '../corpus/streamed.ts';
import { asStream, asWhole, HEAD } from './written.ts';

const VENDORS: Readonly<Partial<Record<Protocol, string>>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'google-generatecontent': 'google',
};

type Event = readonly [event: string | undefined, data: string];

function readEvents(sse: string): Event[] {
  const events: Event[] = [];
  const decoder = decodeSse((event, data) => void events.push([event, data]));
  decoder.push(sse);
  decoder.end();
  return events;
}

/** What the client or the model chose has no fixed members. */
const CHOSEN = new Set([
  'input',
  'arguments',
  'args',
  'parameters',
  'schema',
  'metadata',
  'tools',
  'text',
  'instructions',
]);

/** The objects of a document by their places; those in lists by their type. */
function* shapesOf(value: unknown, place: string): Generator<readonly [place: string, value: JsonObject]> {
  if (Array.isArray(value)) for (const one of value) yield* shapesOf(one, place);
  if (!isObject(value)) return;
  const type = typeof value.type === 'string' ? `<${value.type}>` : '';
  yield [`${place}${type}`, value];
  for (const [name, inner] of Object.entries(value)) {
    if (!CHOSEN.has(name)) yield* shapesOf(inner, `${place}${type}.${name}`);
  }
}

/** For each place, how often each member is there. */
class Members {
  readonly #counts = new Map<string, { total: number; readonly members: Map<string, number> }>();

  add(value: unknown, root: string): void {
    for (const [place, one] of shapesOf(value, root)) {
      const known = this.#counts.get(place) ?? { total: 0, members: new Map<string, number>() };
      known.total++;
      for (const name of Object.keys(one)) known.members.set(name, (known.members.get(name) ?? 0) + 1);
      this.#counts.set(place, known);
    }
  }

  /** The members that are there nine times in ten: older recordings lack newer ones. */
  required(): Map<string, string[]> {
    return new Map(
      [...this.#counts]
        .filter(([, { total }]) => total >= 5)
        .map(([place, { total, members }]) => [
          place,
          [...members].filter(([, count]) => count >= total * 0.9).map(([name]) => name),
        ]),
    );
  }
}

function typeOf(data: string): string {
  if (data === '[DONE]') return data;
  const { type, error } = JSON.parse(data) as JsonObject;
  return typeof type === 'string' ? type : error ? 'error' : '';
}

/** Each event of a stream with the one that follows it. */
function pairsOf(sse: string): string[] {
  const types = readEvents(sse).map(([, data]) => typeOf(data));
  return types.length === 0 ? [] : [...types, 'end'].map((type, at) => `${types[at - 1] ?? 'start'} > ${type}`);
}

/** Orders of events that the vendor documents and no recording has. */
const DOCUMENTED: ReadonlySet<string> = new Set([
  // A failure in the middle of a stream.
  ...['response.reasoning_summary_text.delta > error', 'response.output_text.delta > error', 'error > response.failed'],
  ...['response.in_progress > error', 'response.failed > end', 'content_block_delta > error', 'error > end'],
  ...['message_start > error', 'content_block_stop > error', ' > error'],
  // The end for a limit, and replies that say nothing.
  ...['response.output_item.done > response.incomplete', 'response.incomplete > end'],
  ...['response.in_progress > response.completed', 'response.in_progress > response.incomplete'],
  'message_start > message_delta',
  // Texts between which the client's protocol shows nothing are parts of one message.
  'response.content_part.done > response.content_part.added',
]);

/** What the vendor adds to the length of its events is no part of the reply; a reply that says nothing has no parts. */
const OPTIONAL = /^(?:obfuscation|parts)$/;

/** Every recorded reply of another protocol, as this one writes it. */
function* writtenIn(
  protocol: Protocol,
): Generator<{ readonly name: string; readonly text: string; readonly isStream: boolean }> {
  for (const from of PROTOCOLS.filter((one) => one !== protocol)) {
    const source: Dialect = dialect(from);
    for (const { name, sse, response } of exchanges(from)) {
      const head = { ...HEAD, reference: () => 'cmVm' };
      if (response !== undefined) {
        const reply = source.readResponse(response);
        if (reply.usage) yield { name, text: asWhole(protocol, reply, head).text, isStream: false };
      }
      if (sse === undefined) continue;
      const { reply, events } = readAsBlocks(source, readEvents(sse));
      yield { name, text: asStream(protocol, reply, events, head).text, isStream: true };
    }
  }
}

const PROTOCOLS = Object.keys(VENDORS) as Protocol[];

describe.runIf(hasCorpus).each(PROTOCOLS)('replies that are written in %s', (protocol) => {
  const vendor = new Members();
  const pairs = new Set(DOCUMENTED);
  for (const { provider, response, sse } of exchanges(protocol)) {
    if (provider !== VENDORS[protocol]) continue;
    if (response !== undefined) vendor.add(JSON.parse(response), 'whole');
    for (const pair of pairsOf(sse ?? '')) pairs.add(pair);
    for (const [, data] of readEvents(sse ?? '')) if (data !== '[DONE]') vendor.add(JSON.parse(data), 'event');
  }

  it('have the members and the order of events that the vendor always sends', () => {
    const required = vendor.required();
    const faults = new Map<string, string>();
    let count = 0;
    for (const { name, text, isStream } of writtenIn(protocol)) {
      count++;
      const documents = isStream ? readEvents(text).map(([, data]) => data) : [text];
      for (const data of documents.filter((one) => one !== '[DONE]' && !one.startsWith('{"error"')))
        for (const [place, one] of shapesOf(JSON.parse(data), isStream ? 'event' : 'whole'))
          for (const member of required.get(place) ?? [])
            if (!(member in one) && !OPTIONAL.test(member)) faults.set(`${place} has no ${member}`, name);
      if (isStream) for (const pair of pairsOf(text)) if (!pairs.has(pair)) faults.set(pair, name);
    }
    console.log(
      `${protocol}: ${count} replies of other protocols, ${required.size} kinds of objects, ${pairs.size} pairs of events`,
    );
    expect(Object.fromEntries(faults)).toEqual({});
    expect(count).toBeGreaterThan(0);
  });
});
