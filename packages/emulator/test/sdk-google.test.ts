import { GoogleGenAI } from '@google/genai';
import { expect, test } from 'vitest';
import type { Emulator } from '../src/index.ts';
import { start } from './support.ts';

const client = (emulator: Emulator) =>
  new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: emulator.baseUrl('google-generatecontent') } });
const model = 'gemini-3-pro-preview';
const user = { role: 'user', parts: [{ text: 'Weather in Oslo?' }] };
const config = {
  tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: { type: 'object' } }] }],
};
const call = { type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } } as const;

test('a signed call goes back and is answered', async () => {
  const emulator = await start();
  emulator.script('google-generatecontent', { blocks: [{ type: 'thinking', text: 'Oslo, then.' }, call] });
  const google = client(emulator);
  const first = await google.models.generateContent({ model, contents: [user], config });
  const content = first.candidates?.[0]?.content ?? {};
  expect(first.functionCalls?.[0]).toMatchObject({ name: 'get_weather', args: { city: 'Oslo' } });
  expect(content.parts?.[1]?.thoughtSignature).toBeDefined();
  const { id = '', name = '' } = first.functionCalls?.[0] ?? {};
  const result = { role: 'user', parts: [{ functionResponse: { id, name, response: { degrees: -3 } } }] };
  const second = await google.models.generateContent({ model, contents: [user, content, result], config });
  expect(second.text).toBe('Tool results: {"degrees":-3}');
  const bare = { ...content, parts: content.parts?.map(({ thoughtSignature: _, ...part }) => part) ?? [] };
  const unsigned = google.models.generateContent({ model, contents: [user, bare, result], config });
  await expect(unsigned).rejects.toThrow('missing a thought_signature');
});

test('a stream, and the list of models', async () => {
  const emulator = await start();
  emulator.script('google-generatecontent', { blocks: [{ type: 'text', text: 'Cold, with some sun.' }], pieces: 4 });
  const google = client(emulator);
  const texts: string[] = [];
  for await (const chunk of await google.models.generateContentStream({ model, contents: 'Weather?' })) {
    texts.push(chunk.text ?? '');
  }
  expect(texts.length).toBe(5);
  expect(texts.join('')).toBe('Cold, with some sun.');
  const names: (string | undefined)[] = [];
  for await (const one of await google.models.list()) names.push(one.name);
  expect(names).toContain('models/gemini-3-pro-preview');
});
