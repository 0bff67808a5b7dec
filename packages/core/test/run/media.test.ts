import { type MediaBlock, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, test } from 'vitest';
import { type APIS, anthropic, ask, bodies, chat, expectAccepted, google, responses, start } from './kit.ts';

const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const params = { modalities: ['text', 'image'] } as const;
const draws = [google, responses, chat].flatMap((api) => [true, false].map((stream) => ({ ...api, api, stream })));

describe('an image that the model made', () => {
  test.each(draws)(
    'is a media block, and goes back as it came: $protocol, stream: $stream',
    async ({ api, stream }) => {
      const emulator = await start();
      const blocks = [{ type: 'text', text: 'A cat.' } as const, { type: 'image', data } as const];
      emulator.script(api.protocol, [{ blocks }, says('Two cats.')]);
      // Chat completions have images with OpenRouter alone.
      const asking = api === chat ? {} : { params };
      const question = [user('Draw a cat.')];
      const first = await ask(emulator, api, { messages: question, stream, ...asking }).result;
      const media = first.messages[0]!.content.filter(({ type }) => type === 'media');
      expect(media).toEqual([{ type: 'media', mediaType: 'image/png', source: { kind: 'base64', data } }]);
      const messages = [...question, ...first.messages, user('Another one.')];
      const second = await ask(emulator, api, { messages, stream, ...asking }).result;
      expect(second.text).toBe('Two cats.');
      expect(bodies(emulator)[1]).toContain(data);
      expectAccepted(emulator);
    },
  );

  test('stays behind where nobody can take it, and that is told', async () => {
    const emulator = await start();
    emulator.script(google.protocol, {
      blocks: [
        { type: 'text', text: 'A cat.' },
        { type: 'image', data },
      ],
    });
    const question = [user('Draw a cat.')];
    const { messages } = await ask(emulator, google, { messages: question, params }).result;
    for (const api of [anthropic, chat, responses]) {
      const next = await ask(emulator, api, { messages: [...question, ...messages, user('And?')] }).result;
      expect(next.losses).toContainEqual(expect.objectContaining({ message: 1, reason: 'unsupported-media' }));
    }
    expectAccepted(emulator);
  });

  test('is asked for in the words of each provider', async () => {
    const emulator = await start();
    const said = async (api: (typeof APIS)[number]) => {
      const { losses } = await ask(emulator, api, { messages: [user('Draw.')], params }).result;
      return [bodies(emulator).at(-1), losses.map(({ path }) => path)] as const;
    };
    expect((await said(google))[0]).toContain('"responseModalities":["TEXT","IMAGE"]');
    expect((await said(responses))[0]).toContain('"tools":[{"type":"image_generation"}]');
    expect((await said(chat))[0]).toContain('"modalities":["text","image"]');
    expect((await said(anthropic))[1]).toEqual(['params.modalities']);
  });
});

describe('sound in a question', () => {
  const sound = (mediaType: string): MediaBlock => ({ type: 'media', mediaType, source: { kind: 'base64', data } });
  const question = (mediaType: string) => [user([{ type: 'text', text: 'What is this?' }, sound(mediaType)])];
  const hearing = { ...chat, model: 'gpt-audio' };

  test.each([
    [google, 'audio/wav', '"mimeType":"audio/wav"'],
    [google, 'audio/ogg', '"mimeType":"audio/ogg"'],
    [hearing, 'audio/wav', '"format":"wav"'],
    [hearing, 'audio/mpeg', '"format":"mp3"'],
    [hearing, 'audio/mp3', '"format":"mp3"'],
  ])('is heard: %o %s', async (api, mediaType, words) => {
    const emulator = await start();
    const { losses } = await ask(emulator, api, { messages: question(mediaType) }).result;
    expect(losses).toEqual([]);
    expect(bodies(emulator)[0]).toContain(words);
    expect(bodies(emulator)[0]).toContain(data);
    expectAccepted(emulator);
  });

  test.each([
    [anthropic, 'audio/wav'],
    [responses, 'audio/wav'],
    [chat, 'audio/wav'],
    [hearing, 'audio/ogg'],
  ])('is left out and told: %o %s', async (api, mediaType) => {
    const emulator = await start();
    const { losses } = await ask(emulator, api, { messages: question(mediaType) }).result;
    expect(losses).toEqual([
      { kind: 'dropped', message: 0, path: 'content[1]', reason: 'unsupported-media', detail: mediaType },
    ]);
    expect(bodies(emulator)[0]).toContain('What is this?');
    expectAccepted(emulator);
  });
});
