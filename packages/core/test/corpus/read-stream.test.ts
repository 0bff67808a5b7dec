import { describe, expect, it } from 'vitest';
import { accumulate as anthropicMessages } from './accumulate-anthropic-messages.ts';
import { accumulate as googleGenerateContent } from './accumulate-google-generatecontent.ts';
import { accumulate as googleInteractions } from './accumulate-google-interactions.ts';
import { accumulate as openaiChat } from './accumulate-openai-chat.ts';
import { accumulate as openaiResponses } from './accumulate-openai-responses.ts';
import { Echoes } from './echo.ts';
import { eventsOf } from './events-of.ts';
import { unheld } from './leaves.ts';
import { PASSING } from './passing.ts';
import { hasCorpus, PROTOCOLS } from './recordings.ts';
import { difference, isRecord, parseSource } from './source-json.ts';
import { CONTRADICTORY, readChunks, streams } from './streamed.ts';

const ACCUMULATE = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  'google-generatecontent': googleGenerateContent,
  'google-interactions': googleInteractions,
};

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

  it('every streamed reply comes back verbatim, but for what its losses name', () => {
    const echoes = new Echoes(protocol);
    for (const { name, sse } of streams(protocol)) echoes.add(name, readChunks(protocol, [sse]).reply);
    console.log(`${protocol}: echoed streams`, echoes.counts());
    expect(echoes.failures).toEqual([]);
    expect(echoes.counts().verbatim).toBeGreaterThanOrEqual(2);
  });
});
