import { describe, expect, it } from 'vitest';
import { type StandardSchema, tool } from './tool.ts';

const city = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', maximum: 7 } },
  required: ['city', 'country'],
  additionalProperties: false,
} as const;

describe('a tool with a JSON Schema', () => {
  const weather = tool({ name: 'weather', input: city, execute: () => 'cold' });

  it('tells all that is wrong with its arguments, not the first thing alone', async () => {
    const { issues } = await weather.check('{"city":"O","days":9,"planet":"Earth"}');
    const texts = issues?.map(({ path = [], message }) => `${path.join('.')}: ${message}`).join('\n');
    for (const word of ['country', 'planet', 'city: String is too short', 'days: 9 is greater than 7'])
      expect(texts).toContain(word);
  });

  it('takes what fits', async () => {
    const taking = tool({ name: 'weather', input: { type: 'object' }, execute: () => 'cold' });
    expect(await taking.check('{"city":"Oslo"}')).toEqual({ value: { city: 'Oslo' } });
  });
});

describe('large integers', () => {
  const input = {
    type: 'object',
    $defs: { id: { type: ['integer', 'null'] } },
    properties: {
      plain: { type: 'integer' },
      ref: { $ref: '#/$defs/id' },
      either: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      text: { type: 'string' },
      number: { type: 'number' },
      list: { type: 'array', items: { type: 'integer' } },
      map: { type: 'object', additionalProperties: { type: 'integer' } },
    },
  };
  const LARGE = '9007199254740993';
  const check = async (text: string) => {
    const result = await tool({ name: 't', input, execute: () => '' }).check(text);
    return result.issues ?? result.value;
  };

  it.each(['plain', 'ref', 'either'])('are bigint where the schema has an integer: %s', async (name) => {
    expect(await check(`{"${name}":-${LARGE}}`)).toEqual({ [name]: BigInt(`-${LARGE}`) });
  });

  it('are bigint inside lists and maps, and small ones stay numbers', async () => {
    expect(await check(`{"list":[1,${LARGE}],"map":{"a":${LARGE},"b":2}}`)).toEqual({
      list: [1, BigInt(LARGE)],
      map: { a: BigInt(LARGE), b: 2 },
    });
  });

  it.each(['text', 'number', 'unlisted'])('are digits everywhere else: %s', async (name) => {
    expect(await check(`{"${name}":${LARGE}}`)).toEqual({ [name]: LARGE });
  });

  it('are not confused with digits in text, fractions and exponents', async () => {
    const text = `{"text":"${LARGE}","number":0.12345678901234567890,"unlisted":1e30}`;
    expect(await check(text)).toEqual(JSON.parse(text));
  });
});

describe('a tool with a schema of a library', () => {
  const schema = (jsonSchema?: { input: () => { type: string } }): StandardSchema<{ n: number }> => ({
    '~standard': { version: 1, vendor: 'lib', validate: (value) => ({ value: value as { n: number } }), jsonSchema },
  });

  it('is told to the model by the JSON Schema that the library gives', () => {
    const made = tool({ name: 't', input: schema({ input: () => ({ type: 'object' }) }), execute: ({ n }) => n });
    expect(made.parameters).toEqual({ type: 'object' });
  });

  it('needs one beside it where the library gives none', () => {
    expect(() => tool({ name: 't', input: schema(), execute: () => '' })).toThrow('put one into "parameters"');
    const made = tool({ name: 't', input: schema(), parameters: { type: 'object' }, execute: () => '' });
    expect(made.parameters).toEqual({ type: 'object' });
  });

  it('does not tell the model which draft it is', () => {
    const given = { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
    expect(tool({ name: 't', input: schema({ input: () => given }), execute: () => '' }).parameters).toEqual({
      type: 'object',
    });
  });

  it('gets each integer in the form that it takes, also small ones as bigint', async () => {
    const wants = { id: 'bigint', ref: 'string', page: 'number' };
    const picky: StandardSchema<Record<string, unknown>> = {
      '~standard': {
        version: 1,
        vendor: 'picky',
        validate: (value) => {
          const given = value as Record<string, unknown>;
          const wrong = Object.entries(wants).filter(([name, type]) => typeof given[name] !== type);
          return wrong.length === 0
            ? { value: given }
            : { issues: wrong.map(([name, type]) => ({ message: `not a ${type}`, path: [name] })) };
        },
      },
    };
    const made = tool({ name: 't', input: picky, parameters: { type: 'object' }, execute: () => '' });
    expect(await made.check('{"id":5,"ref":9007199254740993,"page":2}')).toEqual({
      value: { id: 5n, ref: '9007199254740993', page: 2 },
    });
    // A small number is not text.
    expect((await made.check('{"id":5,"ref":6,"page":2}')).issues?.map(({ path }) => path)).toEqual([['id'], ['ref']]);
  });
});
