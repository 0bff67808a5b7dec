import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  Conversation,
  ConversationConfigurationError,
  DeltaApplicationError,
  type LlmBuilder,
  llm,
  NoAnswerError,
  RunError,
  type StandardSchema,
  tool,
  user,
} from '@skein/core';
import { says } from '@skein/emulator';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { anthropic, bodies, chat, expectAccepted, google, modelOf, responses, start, weather } from '../run/kit.ts';

const clock = tool({ name: 'clock', execute: () => 'noon' });

const described = (description: string) =>
  tool({ name: 'get_weather', description, input: weather.parameters, execute: () => 'cold' });

/** What a builder would do, as text; functions by their tool's name. */
function shown(builder: LlmBuilder): string {
  const conversation = builder.conversation();
  const { tools = [], ...config } = conversation.config;
  return JSON.stringify([
    [...conversation.messages].map(({ raw }) => raw),
    tools.map((one) => ('name' in one ? [one.name, one.description] : one)),
    config,
  ]);
}

const text = fc.string({ minLength: 1, maxLength: 8 });
const call = fc.oneof(
  fc.record({ name: fc.constantFrom('agent', 'assistant', 'context', 'request'), value: text }),
  fc.record({ name: fc.constant('provider'), value: fc.constantFrom('openai', 'anthropic', 'google') }),
  fc.record({ name: fc.constant('model'), value: fc.constantFrom('openai/gpt-5.5', 'anthropic/claude-opus-5-5', 'm') }),
  fc.record({
    name: fc.constant('tools'),
    value: fc.constantFrom(weather, clock, described('other')),
  }),
  fc.record({
    name: fc.constant('params'),
    value: fc.record({ temperature: fc.constantFrom(0, 1), maxTokens: fc.nat(9) }, { requiredKeys: [] }),
  }),
  fc.record({
    name: fc.constant('limit'),
    value: fc.record({ steps: fc.nat(9), tokens: fc.nat(9) }, { requiredKeys: [] }),
  }),
  fc.record({ name: fc.constantFrom('image', 'audio', 'file'), value: fc.constant('https://x.test/a') }),
);

type Step = { readonly name: string; readonly value: unknown };
const apply = (builder: LlmBuilder, { name, value }: Step): LlmBuilder =>
  (builder as unknown as Record<string, (value: unknown) => LlmBuilder>)[name]!(value);

describe('the builder', () => {
  test('every call gives a new builder and leaves the old one as it was', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 12 }), call, (calls, last) => {
        const builders: LlmBuilder[] = [llm];
        const before: string[] = [shown(llm)];
        for (const step of calls) {
          const next = apply(builders.at(-1)!, step);
          builders.push(next);
          before.push(shown(next));
        }
        for (const [index, builder] of builders.entries()) {
          const branch = apply(builder, last);
          expect(branch).not.toBe(builder);
          expect(Object.isFrozen(branch)).toBe(true);
          expect(shown(builder)).toBe(before[index]);
        }
      }),
    );
  });

  test('texts are trimmed, and roles are what they say', () => {
    const { messages } = llm.agent(' A ').assistant('B\n').context('\tC').request(' D').conversation();
    expect([...messages].map(({ role, text }) => [role, text])).toEqual([
      ['system', 'A'],
      ['assistant', 'B'],
      ['user', 'C'],
      ['user', 'D'],
    ]);
    expect(() => llm.request(3 as never)).toThrow('Expected text, not number');
  });

  test('tools add up, and one of the same name is replaced in its place', () => {
    const other = described('another');
    const names = (builder: LlmBuilder) =>
      builder
        .conversation()
        .config.tools?.map((one) => ('name' in one ? `${one.name}: ${one.description}` : one.native));
    const base = llm.tools(weather, clock);
    expect(names(base.tools(other))).toEqual(['get_weather: another', 'clock: undefined']);
    expect(names(base)).toEqual(['get_weather: The weather of a city', 'clock: undefined']);
    const search = { dialect: 'openai-responses', native: '{"type":"web_search"}' };
    expect(names(llm.tools(search).tools({ ...search }, clock))).toEqual(['{"type":"web_search"}', 'clock: undefined']);
    const conversation = base.conversation();
    expect(conversation.continuation.tools(other).conversation().config.tools).toEqual([other, clock]);
    expect(conversation.continuation.config({ tools: [] }).tools(clock).conversation().config.tools).toEqual([clock]);
  });

  test('media are user messages', () => {
    const bytes = new Uint8Array([1, 2, 255]);
    const { messages } = llm
      .image('https://x.test/a.png')
      .image('data:image/gif;base64,AQL/')
      .image(bytes, { mediaType: 'image/png' })
      .audio({ base64: 'AQL/' }, { mediaType: 'audio/wav' })
      .file({ fileId: 'file-1' }, { name: 'a.pdf' })
      .file(new URL('https://x.test/b.csv'), { mediaType: 'text/csv' })
      .conversation();
    expect([...messages].every(({ role }) => role === 'user')).toBe(true);
    expect([...messages].map(({ content }) => content[0])).toMatchObject([
      { mediaType: 'image/*', source: { kind: 'url', url: 'https://x.test/a.png' } },
      { mediaType: 'image/gif', source: { kind: 'base64', data: 'AQL/' } },
      { mediaType: 'image/png', source: { kind: 'base64', data: 'AQL/' } },
      { mediaType: 'audio/wav', source: { kind: 'base64', data: 'AQL/' } },
      { mediaType: 'application/pdf', source: { kind: 'file', id: 'file-1' }, name: 'a.pdf' },
      { mediaType: 'text/csv', source: { kind: 'url', url: 'https://x.test/b.csv' } },
    ]);
    expect(() => llm.image(bytes)).toThrow('give { mediaType }');
    expect(() => llm.image('./cat.png')).toThrow(
      "Not an address; for a file of this machine, give { file: './cat.png' }",
    );
  });

  describe('a path is never sent as the id of a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'skein-builder-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'x.PNG');
    writeFileSync(path, new Uint8Array([1, 2, 255]));
    const png = { mediaType: 'image/png', source: { kind: 'base64', data: 'AQL/' } };
    const mediaOf = (builder: LlmBuilder) => builder.conversation().messages.at(0)?.content[0];

    test('what it leads to is sent, by path, by address and as bytes', () => {
      expect(mediaOf(llm.image({ file: path }))).toMatchObject(png);
      expect(mediaOf(llm.image({ file: pathToFileURL(path) }))).toMatchObject(png);
      expect(mediaOf(llm.image({ file: new Uint8Array([1, 2, 255]) }, { mediaType: 'image/png' }))).toMatchObject(png);
      expect(mediaOf(llm.image(Buffer.from([1, 2, 255]), { mediaType: 'image/png' }))).toMatchObject(png);
      expect(mediaOf(llm.image({ file: path }, { mediaType: 'image/webp' }))).toMatchObject({
        mediaType: 'image/webp',
      });
    });

    test('and goes out as bytes', async () => {
      const emulator = await start();
      const asked = llm
        .config({ env: emulator.env() })
        .model(modelOf(responses))
        .image({ file: path })
        .request('What?');
      await asked.prompt();
      expect(bodies(emulator)[0]).toContain('data:image/png;base64,AQL/');
      expect(bodies(emulator)[0]).not.toContain('file_id');
      expectAccepted(emulator);
    });

    test('what cannot be read says so, and how the id of a file is given', () => {
      expect(() => llm.image({ file: join(folder, 'none.png') })).toThrow(/Cannot read .*none\.png.*\{ fileId \}/s);
      expect(() => llm.file({ file: 'file-abc123' })).toThrow('{ fileId }');
    });

    test('what its name does not tell has to be said', () => {
      const nameless = join(folder, 'nameless');
      writeFileSync(nameless, 'x');
      expect(() => llm.file({ file: nameless })).toThrow('give { mediaType }');
      expect(mediaOf(llm.file({ file: nameless }, { mediaType: 'text/plain' }))).toMatchObject({
        source: { kind: 'base64', data: 'eA==' },
      });
    });

    test('without files, as in a browser, the error says what to give', () => {
      // Put back at once: the runner needs it, too.
      vi.stubGlobal('process', { env: {} });
      const build = vi.fn(() => llm.image({ file: path }));
      try {
        build();
      } catch {
        // Looked at below.
      } finally {
        vi.unstubAllGlobals();
      }
      expect(build.mock.results[0]?.value).toMatchObject({
        message: expect.stringContaining('can be read in Node only'),
      });
    });
  });
});

describe('who is asked', () => {
  const who = (builder: LlmBuilder) => {
    const { provider, model } = builder.conversation().config;
    return [provider, model];
  };

  test('a provider alone forgets a model of another; a model alone stays with its provider', () => {
    const start = () => llm.model('openai/gpt-5.5').conversation().continuation;
    expect(who(start().provider('anthropic'))).toEqual(['anthropic', undefined]);
    expect(who(start().provider('openai'))).toEqual(['openai', 'openai/gpt-5.5']);
    expect(who(start().model('gpt-4o'))).toEqual(['openai', 'gpt-4o']);
    expect(who(start().model('anthropic/claude-opus-5-5'))).toEqual([undefined, 'anthropic/claude-opus-5-5']);
    expect(who(llm.model('openai/gpt-5.5').provider('anthropic'))).toEqual(['anthropic', undefined]);
    expect(who(llm.model('claude-opus-5-5').provider('anthropic'))).toEqual(['anthropic', 'claude-opus-5-5']);
    const reseller = llm.provider('openrouter').model('anthropic/claude-sonnet-4.5');
    expect(who(reseller)).toEqual(['openrouter', 'anthropic/claude-sonnet-4.5']);
  });

  test('a key is never shown to another provider than the one it was given for', async () => {
    const emulator = await start();
    const env = emulator.env();
    const conversation = llm.model(modelOf(chat)).config({ apiKey: 'sk-mine', env }).request('Hi').conversation();
    for await (const _ of conversation);
    await conversation.continuation.model(modelOf(anthropic)).request('And you?').prompt();
    const headers = emulator.log.map((entry) => JSON.stringify(entry.headers));
    expect(headers[0]).toContain('sk-mine');
    expect(headers[1]).not.toContain('sk-mine');
    expect(headers[1]).toContain('sk-emulator');
  });

  test('without a name, a model is chosen by what is asked and which keys there are', async () => {
    const emulator = await start();
    const env = emulator.env();
    const only = { GEMINI_API_KEY: 'k', GOOGLE_GEMINI_BASE_URL: env.GOOGLE_GEMINI_BASE_URL };
    expect(await llm.config({ env: only }).request('Hi').prompt()).toBe('Echo: Hi');
    expect(emulator.log.at(-1)?.protocol).toBe('google-generatecontent');
    await llm.config({ env }).provider('openai').request('Hi').prompt();
    expect(emulator.log.at(-1)?.protocol).toBe('openai-responses');
    await expect(llm.config({ env: only }).provider('openai').request('Hi').prompt()).rejects.toMatchObject({
      code: 'no_model',
    });
    const models = ['anthropic/claude-opus-5-5', 'openai/gpt-5.5'];
    await llm.config({ env, select: { models } }).image('https://x.test/a.png').request('What?').prompt();
    expect(JSON.parse(bodies(emulator).at(-1)!).model).toBe('claude-opus-5-5');
    expectAccepted(emulator);
  });
});

describe('what cannot be applied', () => {
  test.each([
    [{ temprature: 1 }, 'temprature'],
    [{ model: 5 }, 'model'],
    [{ model: ' ' }, 'model'],
    [{ provider: 'anthropc' }, 'provider'],
    [{ tools: 'all' }, 'tools'],
    [{ tools: [{ name: 'x' }] }, 'tools'],
    [{ tools: [null] }, 'tools'],
    [{ limits: { steps: '3' } }, 'limits.steps'],
    [{ limits: { money: 3 } }, 'limits.money'],
    [{ params: { temperature: 'hot' } }, 'params.temperature'],
    [{ params: { top_p: 1 } }, 'params.top_p'],
    [{ params: [] }, 'params'],
    [{ observer: 'me' }, 'observer'],
    [{ apiKey: 7 }, 'apiKey'],
    [{ constructor: 1 }, 'constructor'],
    [{ model: {} }, 'model'],
    [{ model: null }, 'model'],
    [{ provider: {} }, 'provider'],
    [{ provider: null }, 'provider'],
    [{ fallback: [5] }, 'fallback'],
    [{ limits: { steps: Number.NaN } }, 'limits.steps'],
    [{ tools: [{ name: 'x', parameters: {}, execute: () => 1 }] }, 'tools'],
  ])('%j is an error that names it, and nothing is half applied', (config, key) => {
    const conversation = llm.request('Hi').model('openai/gpt-5.5').conversation();
    const before = conversation.config;
    const delta = () =>
      conversation.continuation
        .request('More')
        .config(config as never)
        .conversation();
    expect(delta).toThrow(ConversationConfigurationError);
    expect(() => new Conversation({ config: config as never })).toThrow(expect.objectContaining({ key }));
    expect(conversation.messages).toHaveLength(1);
    expect(conversation.config).toBe(before);
  });

  test('a builder that was given the wrong thing says so, whatever is called in between', () => {
    const base = llm.model('openai/gpt-5.5').request('Hi');
    const wrong: [string, () => unknown][] = [
      ['config', () => base.config(null as never)],
      ['config', () => base.config('x' as never)],
      ['tools', () => base.tools(tool({ name: 'a', execute: () => 1 })).tools(undefined as never)],
      ['tools', () => base.tools([tool({ name: 'a', execute: () => 1 })] as never)],
      [
        'model',
        () =>
          base
            .model({} as never)
            .provider('openai')
            .model({} as never),
      ],
      ['model', () => base.model(5 as never).config({ provider: 'openai', model: 5 as never })],
      ['provider', () => base.provider(null as never)],
    ];
    for (const [key, build] of wrong)
      expect(() => (build() as typeof base).conversation(), key).toThrow(
        expect.objectContaining({ name: 'ConversationConfigurationError', key }),
      );
  });

  test.each([null, 5, {}, new ArrayBuffer(4), { base64: 7 }])('%s never becomes a message without data', (input) => {
    expect(() => llm.image(input as never, { mediaType: 'image/png' })).toThrow('Not media; give an address, bytes');
  });

  test('a limit may be none', () => {
    expect(llm.limit({ steps: Infinity }).conversation().config.limits).toEqual({ steps: Infinity });
  });

  test('values are not shown in errors: one may be a key', () => {
    const error = (() => {
      try {
        llm.config({ apiKey: ['sk-secret'] as never }).conversation();
      } catch (failure) {
        return String(failure);
      }
      return '';
    })();
    expect(error).toContain('apiKey');
    expect(error).not.toContain('sk-secret');
  });

  test('something that is no message is not applied, and neither is what came with it', () => {
    const conversation = new Conversation();
    const builder = conversation.continuation
      .request('Hi')
      .messages([{ role: 'user', content: 'x' } as never])
      .params({ seed: 1 });
    expect(() => builder.conversation()).toThrow(DeltaApplicationError);
    expect(() => builder.conversation()).toThrow('messages[1] is not a message');
    expect(conversation.messages).toHaveLength(0);
    expect(conversation.config.params).toBeUndefined();
    const failing = {
      *[Symbol.iterator]() {
        yield user('a');
        throw new Error('the disk is gone');
      },
    };
    expect(() => conversation.apply({ messages: failing })).toThrow(DeltaApplicationError);
    expect(conversation.messages).toHaveLength(0);
  });

  test('a queued run that cannot be applied fails alone', async () => {
    const emulator = await start();
    const conversation = llm.model(modelOf(anthropic)).config({ env: emulator.env() }).conversation();
    const [bad, good] = await Promise.allSettled([
      conversation.continuation
        .request('A')
        .limit({ steps: 'x' as never })
        .prompt(),
      conversation.continuation.request('B').prompt(),
    ]);
    expect(bad).toMatchObject({ status: 'rejected', reason: { name: 'ConversationConfigurationError' } });
    expect(good).toMatchObject({ value: 'Echo: B' });
    expect(bodies(emulator)).toHaveLength(1);
  });
});

describe('what is asked for', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

  test('promptFor gives an object by the schema', async () => {
    const emulator = await start();
    emulator.script('openai-responses', [says('{"city":"Oslo"}'), says('{"town":1}')]);
    const base = llm.model(modelOf(responses)).config({ env: emulator.env() }).request('Capital?');
    expect(await base.promptFor(schema)).toEqual({ city: 'Oslo' });
    const standard: StandardSchema<string> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value: unknown) => ({ value: (value as { city: string }).city }),
        jsonSchema: { input: () => schema },
      },
    };
    await expect(base.promptFor(schema)).rejects.toMatchObject({ code: 'invalid_output' });
    emulator.script('openai-responses', says('{"city":"Rome"}'));
    const city: string = await base.promptFor(standard);
    expect(city).toBe('Rome');
    await expect(base.limit({ steps: 0 }).promptFor(schema)).rejects.toBeInstanceOf(NoAnswerError);
  });

  test('promptForImage gives what the model drew', async () => {
    const emulator = await start();
    const env = emulator.env();
    emulator.script('google-generatecontent', [
      { blocks: [{ type: 'native', value: { inlineData: { mimeType: 'image/png', data: 'AAAA' } } }] },
      says('I cannot draw.'),
    ]);
    const drawing = llm.config({ env }).provider('google').request('Draw a cat');
    expect(await drawing.promptForImage()).toEqual({
      type: 'media',
      mediaType: 'image/png',
      source: { kind: 'base64', data: 'AAAA' },
    });
    expect(bodies(emulator)[0]).toContain('"responseModalities":["TEXT","IMAGE"]');
    const error = await drawing.promptForImage().catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(NoAnswerError);
    expect((error as NoAnswerError).result.text).toBe('I cannot draw.');
    emulator.script('openai-responses', {
      blocks: [
        {
          type: 'native',
          value: {
            type: 'image_generation_call',
            id: 'ig_1',
            status: 'completed',
            output_format: 'webp',
            result: 'BBBB',
          },
        },
      ],
    });
    expect(await llm.config({ env }).model(modelOf(responses)).request('Draw').promptForImage()).toMatchObject({
      mediaType: 'image/webp',
      source: { data: 'BBBB' },
    });
    expect(bodies(emulator).at(-1)).toContain('{"type":"image_generation"}');
  });

  test('stream gives events, one finish, and a response for the web', async () => {
    const emulator = await start();
    emulator.script('google-generatecontent', [
      { blocks: [{ type: 'tool-use', name: 'clock', input: {} }] },
      says('Noon.'),
    ]);
    const running = llm.model(modelOf(google)).config({ env: emulator.env() }).tools(clock).request('Time?').stream();
    const types: string[] = [];
    for await (const event of running) types.push(event.type);
    expect(types.filter((type) => type === 'finish')).toEqual(['finish']);
    expect(types.at(-1)).toBe('finish');
    expect(types.filter((type) => type === 'message')).toHaveLength(3);
    expect(await running.text).toBe('Noon.');
    expect((await running.result).steps).toHaveLength(2);
    expect(await running.toResponse().text()).toContain('"type":"finish"');
    expectAccepted(emulator);
  });

  test('a failing stream throws where it is read, and nowhere else', async () => {
    const emulator = await start();
    emulator.script('anthropic-messages', { error: { status: 401 } });
    const running = llm.model(modelOf(anthropic)).config({ env: emulator.env() }).request('Hi').stream();
    const reading = async () => {
      for await (const _ of running);
    };
    await expect(reading()).rejects.toBeInstanceOf(RunError);
  });
});
