/** What the compiler says of our types; `tsc` is the judge, and nothing here asks anyone. */
import { type Chat, type JsonObject, llm, type Run, run, samples, tool, user } from '@skein/core';
import { describe, expectTypeOf, test } from 'vitest';

describe('a tool knows its input by the literals of its JSON Schema', () => {
  test('required and optional properties', () => {
    tool({
      name: 'weather',
      input: {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { enum: ['C', 'F'] }, days: { type: 'integer', maximum: 7 } },
        required: ['city'],
      },
      execute: (input) => {
        expectTypeOf(input.city).toEqualTypeOf<string>();
        expectTypeOf(input.unit).toEqualTypeOf<'C' | 'F' | undefined>();
        expectTypeOf(input.days).toEqualTypeOf<number | undefined>();
        // @ts-expect-error There is no such property.
        void input.planet;
        return 'cold';
      },
      needsApproval: ({ city }) => city === 'Oslo',
    });
  });

  test('lists, objects, unions, nulls and large integers', () => {
    tool({
      name: 'all',
      input: {
        type: 'object',
        properties: {
          list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] } },
          id: { type: 'integer' },
          either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          maybe: { type: ['number', 'null'] },
          kind: { const: 'a' },
          map: { type: 'object', additionalProperties: { type: 'string' } },
          far: { $ref: '#/$defs/far' },
        },
        required: ['list', 'id', 'either', 'maybe', 'kind', 'map', 'far'],
      },
      execute: (input) => {
        expectTypeOf(input).toEqualTypeOf<{
          list: { on: boolean }[];
          id: number | bigint;
          either: string | null;
          maybe: number | null;
          kind: 'a';
          map: Record<string, string>;
          far: unknown;
        }>();
        return 'done';
      },
    });
  });

  test('a schema that is no literal describes any object, as does none', () => {
    const schema: JsonObject = { type: 'object' };
    tool({ name: 'any', input: schema, execute: (input) => void expectTypeOf(input).toEqualTypeOf<JsonObject>() });
    tool({ name: 'none', execute: (input) => void expectTypeOf(input).toEqualTypeOf<JsonObject>() });
  });

  test('the output of a run follows from its schema', () => {
    const options = { model: 'openai/gpt-5.5', messages: [] };
    const city = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const;
    const literal = () => run({ ...options, output: city }).result;
    expectTypeOf(literal).returns.resolves.toHaveProperty('output').toEqualTypeOf<{ name: string } | undefined>();
    const inPlace = () => run({ ...options, output: { type: 'array', items: { enum: ['a', 'b'] } } }).result;
    expectTypeOf(inPlace).returns.resolves.toHaveProperty('output').toEqualTypeOf<('a' | 'b')[] | undefined>();
    const none = () => run(options).result;
    expectTypeOf(none).returns.resolves.toHaveProperty('output').toEqualTypeOf<unknown>();
    const wide = (output: JsonObject) => run({ ...options, output }).result;
    expectTypeOf(wide).returns.resolves.toHaveProperty('output').toEqualTypeOf<unknown>();
    const several = () => samples(2, { ...options, output: city })[0]!.result;
    expectTypeOf(several).returns.resolves.toHaveProperty('output').toEqualTypeOf<{ name: string } | undefined>();
    // @ts-expect-error There is no such option.
    void (() => run({ ...options, outputt: city }));
  });

  test('so does an answer by a schema', () => {
    const ask = () => llm.promptFor({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] });
    expectTypeOf(ask).returns.resolves.toEqualTypeOf<{ n: number }>();
  });
});

test('awaiting a run, which would give the run itself, is an error that names what to await', () => {
  const waiting = async (running: Run, chat: Chat): Promise<void> => {
    // @ts-expect-error A run is not a promise.
    await running;
    // @ts-expect-error Nor is one of a chat.
    await chat.streamWithState(null, [user('Hello')]);
    // @ts-expect-error Nor is that of a builder.
    await llm.stream();
    expectTypeOf(await running.text).toEqualTypeOf<string>();
  };
  void waiting;
});
