import { describe, expect, it } from 'vitest';
import { accumulate as anthropicMessages } from './accumulate-anthropic-messages.ts';
import { accumulate as googleGenerateContent } from './accumulate-google-generatecontent.ts';
import { accumulate as openaiChat } from './accumulate-openai-chat.ts';
import { accumulate as openaiResponses } from './accumulate-openai-responses.ts';
import { eventsOf } from './events-of.ts';
import { unheld } from './leaves.ts';
import { hasCorpus, PROTOCOLS } from './recordings.ts';
import { difference, isRecord, parseSource } from './source-json.ts';
import { readChunks, streams } from './streamed.ts';

const ACCUMULATE = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'google-generatecontent': googleGenerateContent,
};

/**
 * What of an event need not be kept: what places it, pads it against eavesdroppers, or is said again by a later
 * event of the same stream.
 */
const PASSING: Readonly<Record<keyof typeof ACCUMULATE, readonly RegExp[]>> = {
  'openai-chat': [
    /^choices\[\]\.delta\.tool_calls\[\]\.index$/,
    /^obfuscation$/,
    // Sent with every chunk, as they are at that time.
    /^(created|object|usage\.\w+)$/,
  ],
  'openai-responses': [
    / (sequence_number|output_index|content_index|summary_index|annotation_index|item_id|type|obfuscation)$/,
    // The response at the end says it again; ids rotate and ciphertexts differ from event to event at some providers.
    /^response\.(created|in_progress) response\.(id|status|created_at)$/,
    /^response\.output_item\.(added|done) item\.(id|call_id|status|encrypted_content|fingerprint)$/,
    // Rounded differently in the response at the end.
    /^response\.output_text\.(delta|done) logprobs\[\]\.logprob$/,
  ],
  'anthropic-messages': [
    / (type|index|delta\.type)$/,
    // Pieces of a JSON text, which becomes a value.
    / delta\.partial_json$/,
    // Counted up while the reply is written.
    /^message_(start message\.|delta )usage\.(input|output)_tokens$/,
  ],
  // Counted up while the reply is written.
  'google-generatecontent': [/^usageMetadata\./],
};

/** Written by hand, and its deltas are not what it says at the end. */
const CONTRADICTORY = 'vercel.openai.openai-shell-container.1.stream.json#0';

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('a streamed reply is what its events add up to', () => {
    const all = streams(protocol);
    const wrong = all.flatMap(({ name, sse }) => {
      const expected = ACCUMULATE[protocol](eventsOf(sse));
      const { reply } = readChunks(protocol, [sse]);
      const messages = [reply.message, ...reply.alternatives.map((alternative) => alternative.message)];
      const envelope = parseSource(reply.envelope);
      if (isRecord(envelope)) {
        // What the protocol has no place for; the other test looks into them.
        delete envelope.unread_events;
        delete envelope.unread_members;
      }
      const found =
        difference(
          messages.map((message) => parseSource(message.raw)),
          [...expected.messages],
          'messages',
        ) ?? difference(envelope, expected.envelope, 'envelope');
      return found === undefined ? [] : [`${name}: ${found}`];
    });
    console.log(`${protocol}: assembled ${all.length} streams${hasCorpus ? '' : ' (no corpus here, fixtures only)'}`);
    expect(wrong).toEqual([]);
  });

  it('every string and number of the events is in the message or its envelope', () => {
    const all = streams(protocol).filter(({ name }) => name !== CONTRADICTORY);
    const missing = all.flatMap(({ name, sse }) => {
      const { reply } = readChunks(protocol, [sse]);
      const messages = [reply.message, ...reply.alternatives.map((alternative) => alternative.message)];
      const texts = [...messages.map((message) => message.raw), reply.envelope];
      return unheld(eventsOf(sse), texts, PASSING[protocol]).map((leaf) => `${name}: ${leaf}`);
    });
    expect(missing).toEqual([]);
  });
});
