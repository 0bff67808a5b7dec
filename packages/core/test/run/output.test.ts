import { type JsonObject, RunError, run, type StandardSchema, user } from '@skein/core';
import { says } from '@skein/emulator';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type Api,
  anthropic,
  ask,
  bodies,
  chat,
  expectAccepted,
  google,
  modelOf,
  responses,
  start,
  WAYS,
  weather,
} from './kit.ts';

const city = {
  type: 'object',
  properties: { city: { type: 'string' }, people: { type: 'integer', minimum: 1 } },
  required: ['city', 'people'],
} as const;

const closed = { ...city, additionalProperties: false };

const oslo = { city: 'Oslo', people: 700000 };

const older: Api = { ...anthropic, model: 'claude-opus-4-1' };

const messages = [user('The largest city of Norway?')];

const lastBody = (emulator: Parameters<typeof bodies>[0]): JsonObject => JSON.parse(bodies(emulator).at(-1)!);

/** A Standard Schema as a library would make it. */
const standard: StandardSchema<{ city: string; people: bigint }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { city: name, people } = value as { city: string; people: number };
      return typeof name === 'string'
        ? { value: { city: name, people: BigInt(people) } }
        : { issues: [{ message: 'not a text', path: ['city'] }] };
    },
    jsonSchema: { input: () => ({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...city }) },
  },
};

test.each(WAYS)('an answer by a schema: $protocol, stream $stream', async ({ api, stream }) => {
  const emulator = await start();
  emulator.script(api.protocol, says(JSON.stringify(oslo)));
  const { output, text } = await ask(emulator, api, { messages, output: city, stream }).result;
  expect(output).toEqual(oslo);
  expect(text).toBe(JSON.stringify(oslo));
  expectAccepted(emulator);
});

describe('what is sent', () => {
  const sent = async (api: Api, options: Partial<Parameters<typeof ask>[2]> = {}) => {
    const emulator = await start();
    emulator.script(api.protocol, says(JSON.stringify(oslo)));
    await ask(emulator, api, { messages, output: city, ...options }).result;
    expectAccepted(emulator);
    return lastBody(emulator);
  };

  test('chat completions: response_format, strict where it can be', async () => {
    expect(await sent(chat)).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: closed, strict: true } },
    });
    const loose = { ...city, required: ['city'] };
    expect(await sent(chat, { output: loose })).toMatchObject({
      response_format: { json_schema: { schema: { ...loose, additionalProperties: false }, strict: false } },
    });
  });

  test('responses: text.format, beside what the caller says of text', async () => {
    expect(await sent(responses, { extraBody: { text: { verbosity: 'low' } } })).toMatchObject({
      text: { format: { type: 'json_schema', name: 'output', schema: closed, strict: true }, verbosity: 'low' },
    });
  });

  test('Anthropic: output_config.format without the keywords it refuses, beside effort', async () => {
    const body = await sent(anthropic, { params: { reasoning: { effort: 'high' } } });
    const schema = { ...closed, properties: { city: { type: 'string' }, people: { type: 'integer' } } };
    expect(body.output_config).toEqual({ effort: 'high', format: { type: 'json_schema', schema } });
    expect(body).not.toHaveProperty('tools');
  });

  test('Google: responseJsonSchema, beside other settings', async () => {
    expect((await sent(google, { params: { temperature: 0 } })).generationConfig).toEqual({
      temperature: 0,
      responseMimeType: 'application/json',
      responseJsonSchema: city,
    });
  });

  test('a property that has the name of a keyword stays', async () => {
    const output = { type: 'object', properties: { maximum: { type: 'object', properties: {} } } };
    const body = await sent(anthropic, { output: { ...output } });
    expect(JSON.stringify(body.output_config)).toContain(
      '"properties":{"maximum":{"type":"object","properties":{},"additionalProperties":false}},"additionalProperties":false',
    );
  });
});

describe('a model that cannot be held to a schema calls a tool with the answer', () => {
  const call = { blocks: [{ type: 'tool-use' as const, name: 'final_answer', input: oslo }] };
  const look = { blocks: [{ type: 'tool-use' as const, name: 'get_weather', input: { city: 'Oslo' } }] };

  test.each([true, false])('older Claude models, stream %s', async (stream) => {
    const emulator = await start();
    emulator.script(older.protocol, call);
    const { output, stop, messages: added } = await ask(emulator, older, { messages, output: city, stream }).result;
    expect(output).toEqual(oslo);
    expect(stop.reason).toBe('end');
    expect(added.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(lastBody(emulator)).toMatchObject({ tool_choice: { type: 'tool', name: 'final_answer' } });
    expect(lastBody(emulator)).not.toHaveProperty('output_config');
    expectAccepted(emulator);
  });

  test.each([older, { ...google, model: 'gemini-2.5-pro' }])('after other tools: $model', async (api) => {
    const emulator = await start();
    emulator.script(api.protocol, [look, call]);
    const running = ask(emulator, api, { messages, output: city, tools: [weather] });
    expect((await running.result).output).toEqual(oslo);
    expect(bodies(emulator)).toHaveLength(2);
    expectAccepted(emulator);
  });

  test('one that thinks is not forced to', async () => {
    const emulator = await start();
    emulator.script(older.protocol, call);
    const params = { reasoning: { budget: 2048 } };
    expect((await ask(emulator, older, { messages, output: city, params }).result).output).toEqual(oslo);
    expect(lastBody(emulator)).toMatchObject({ tool_choice: { type: 'auto' } });
    expectAccepted(emulator);
  });

  test('objects of any shape, which Anthropic takes in no format', async () => {
    const emulator = await start();
    emulator.script(anthropic.protocol, call);
    const output = { type: 'object', additionalProperties: { type: ['string', 'integer'] } };
    expect((await ask(emulator, anthropic, { messages, output }).result).output).toEqual(oslo);
    expectAccepted(emulator);
  });

  test('its arguments are checked, too', async () => {
    const emulator = await start();
    emulator.script(older.protocol, { blocks: [{ type: 'tool-use', name: 'final_answer', input: { city: 1 } }] });
    await expect(ask(emulator, older, { messages, output: city }).result).rejects.toMatchObject({
      code: 'invalid_output',
    });
  });
});

describe('an answer that does not fit', () => {
  test.each(WAYS)(
    'is an error with all findings and the messages: $protocol, stream $stream',
    async ({ api, stream }) => {
      const emulator = await start();
      emulator.script(api.protocol, says('{"city":7,"people":0}'));
      const error = await ask(emulator, api, { messages, output: city, stream }).result.catch((thrown) => thrown);
      expect(error).toBeInstanceOf(RunError);
      expect(error).toMatchObject({ code: 'invalid_output', retryable: false, steps: [{}] });
      expect(error.findings.map(({ path }: { path: string[] }) => path)).toEqual([['city'], ['people']]);
      expect(error.message).toContain('people: ');
      expect(error.messages[0].text).toBe('{"city":7,"people":0}');
    },
  );

  test('is one that is no JSON, or was cut off', async () => {
    const emulator = await start();
    emulator.script(chat.protocol, [says('Oslo.'), says('{"city":"Os', { stop: 'max-tokens' })]);
    const failed = () => ask(emulator, chat, { messages, output: city }).result.catch((thrown) => thrown);
    expect((await failed()).message).toContain('not JSON');
    expect((await failed()).message).toContain('"length"');
  });
});

test('a Standard Schema types the output', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, [
    says('{"city":"Oslo","people":12345678901234567890}'),
    says('{"city":1,"people":2}'),
  ]);

  const options = { model: modelOf(chat), env: emulator.env(), messages, output: standard };
  const { output } = await run(options).result;
  expectTypeOf(output).toEqualTypeOf<{ city: string; people: bigint } | undefined>();
  expect(output).toEqual({ city: 'Oslo', people: 12345678901234567890n });
  await expect(run(options).result).rejects.toMatchObject({ findings: [{ message: 'not a text', path: ['city'] }] });
});

test('a run that ends before there is an answer has no output', async () => {
  const emulator = await start();
  emulator.script(chat.protocol, { blocks: [{ type: 'tool-use', name: 'get_weather', input: { city: 'Oslo' } }] });
  const running = ask(emulator, chat, { messages, output: city, tools: [weather], limits: { steps: 1 } });
  expect(await running.result).toMatchObject({ output: undefined, stop: { reason: 'steps' } });
});
