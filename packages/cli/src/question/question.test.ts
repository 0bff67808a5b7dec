import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { joinPairs } from '../definitions/asking.ts';
import { readAttachment } from './attachments.ts';
import { readOptions } from './options.ts';
import { extractCode } from './question.ts';
import { conciseSchema, readSchema } from './schema.ts';
import { fillIn } from './template.ts';

const folder = mkdtempSync(join(tmpdir(), 'skein-question-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

test('a concise schema: names, types and descriptions, with commas or line ends between them', () => {
  expect(conciseSchema('name, age int, cool bool: is it, weight float')).toEqual({
    type: 'object',
    properties: {
      name: { type: 'string' },
      age: { type: 'integer' },
      cool: { type: 'boolean', description: 'is it' },
      weight: { type: 'number' },
    },
    required: ['name', 'age', 'cool', 'weight'],
  });
  expect(conciseSchema('\nname: first, last\n年齢 int\n')).toMatchObject({
    properties: { name: { description: 'first, last' }, 年齢: { type: 'integer' } },
  });
  expect(() => conciseSchema('age number')).toThrow('"number" is not a type: there are str, int, float, bool');
  expect(() => conciseSchema('a b c')).toThrow('more than a name and a type');
  expect(() => conciseSchema(' , ')).toThrow('empty');
});

test('a schema is JSON, a file, or the concise form; a list of objects is wrapped', async () => {
  const written = { type: 'object', properties: {} };
  expect(await readSchema(JSON.stringify(written))).toEqual(written);
  expect(await readSchema(file('s.json', JSON.stringify(written)))).toEqual(written);
  expect(await readSchema('name', { isMany: true })).toMatchObject({
    properties: { items: { type: 'array', items: { required: ['name'] } } },
    required: ['items'],
  });
  await expect(readSchema(file('list.json', '[]'))).rejects.toThrow('has to be a JSON object');
  await expect(readSchema(join(folder, 'none.json'))).rejects.toThrow('ENOENT');
});

test('variables of a template: both spellings, a dollar sign, and the names that are missing', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of a template
  expect(fillIn('$a ${b} $$5 $a', { a: '1', b: '$a' })).toBe('1 $a $5 1');
  expect(() => fillIn('$here $there', { here: '' })).toThrow('-p there …');
  expect(() => fillIn('$constructor', {})).toThrow('-p constructor …');
});

test('-o: the names of parameters, and errors that name the valid ones', () => {
  const all = readOptions([
    ['temperature', '0.2'],
    ['max-tokens', '10'],
    ['reasoning_effort', 'low'],
  ]);
  expect(all).toEqual({ temperature: 0.2, maxTokens: 10, reasoning: { effort: 'low' } });
  expect(() => readOptions([['temperature', 'hot']])).toThrow('-o temperature: "hot" is not a number');
  expect(() => readOptions([['zzzzzzzzzzzzz', '1']])).toThrow('There are temperature, max_tokens');
});

test('a flag with a name and a value does not take the question, or what comes behind --', () => {
  expect(joinPairs(['ask', '-o', 'temperature', '0.2', 'Hi', '-p', 'a=b', 'c'])).toEqual([
    'ask',
    '-o',
    'temperature=0.2',
    'Hi',
    '-p',
    'a=b',
    'c',
  ]);
  expect(joinPairs(['record', '--', 'x', '-o', 'a', 'b'])).toEqual(['record', '--', 'x', '-o', 'a', 'b']);
  expect(joinPairs(['ask', '--', '-o', 'a', 'b'])).toEqual(['ask', '--', '-o', 'a', 'b']);
});

test('an attachment is known by its bytes, not its name; text keeps its name; anything else is refused', async () => {
  const config = { fetch: undefined };
  const png = Buffer.from('89504e470d0a1a0a0000', 'hex');
  expect(await readAttachment(file('photo.txt', png), config)).toMatchObject({
    type: 'media',
    mediaType: 'image/png',
    name: 'photo.txt',
    source: { kind: 'base64', data: png.toString('base64') },
  });
  expect(await readAttachment(file('notes.md', '# 見出し\n'), config)).toEqual({
    type: 'text',
    text: 'File notes.md:\n\n# 見出し',
  });
  await expect(readAttachment(file('x.bin', Buffer.from([0xff, 0xfe, 0x00])), config)).rejects.toThrow(
    'neither text in UTF-8 nor a kind of file that models take (.bin)',
  );
  await expect(readAttachment(file('empty', ''), config)).rejects.toThrow('is empty');
  await expect(readAttachment('http://127.0.0.1:1/x.png', config)).rejects.toThrow('its address is not public');
  await expect(readAttachment('http://localhost:1/x.png', config)).rejects.toThrow('its address is not public');
});

test('fenced code of an answer', () => {
  const text = 'Here:\n```js\na();\n```\nand\n```\nb();\n```\n';
  expect(extractCode(text, 'first')).toBe('a();\n');
  expect(extractCode(text, 'last')).toBe('b();\n');
  expect(extractCode('none', 'first')).toBe('none');
});
