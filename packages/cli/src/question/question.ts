import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '@skein/agents';
import type { ContentBlock, JsonObject, RequestParams } from '@skein/core';
import { UsageError } from '../output/output.ts';
import { fetchBytes, readAttachment, toText } from './attachments.ts';
import { hasInput, readInput } from './input.ts';
import { readOptions, readPair } from './options.ts';
import { readSchema } from './schema.ts';
import { fillIn, readTemplate, type Template, variablesIn } from './template.ts';

/** The flags that a question is made of, besides its words. */
export interface QuestionFlags {
  readonly system?: string;
  readonly model?: string;
  readonly template?: string;
  /** `name=value` each. */
  readonly param?: readonly string[];
  readonly option?: readonly string[];
  readonly maxTokens?: number;
  readonly fragment?: readonly string[];
  readonly systemFragment?: readonly string[];
  readonly attachment?: readonly string[];
  readonly schema?: string;
  readonly schemaMulti?: string;
  readonly tool?: readonly string[];
  readonly extract?: boolean;
  readonly extractLast?: boolean;
}

/** What `ask` does besides sending the question, as flags and template say. */
export interface QuestionPlan {
  /** The question's words with standard input, as far as the template places them. */
  readonly text: string;
  readonly system: string | undefined;
  readonly model: string | undefined;
  readonly params: RequestParams;
  readonly schema: JsonObject | undefined;
  readonly fragments: readonly string[];
  readonly systemFragments: readonly string[];
  readonly attachments: readonly string[];
  readonly tools: readonly string[];
  readonly extract: 'first' | 'last' | undefined;
}

/** Puts words, standard input, flags and template together. Flags win over the template. Nothing is fetched yet. */
export async function planQuestion(words: readonly string[], flags: QuestionFlags): Promise<QuestionPlan> {
  const template: Template = flags.template === undefined ? {} : await readTemplate(flags.template);
  const fragments = [...(template.fragments ?? []), ...(flags.fragment ?? [])];
  const systemFragments = [...(template.system_fragments ?? []), ...(flags.systemFragment ?? [])];
  const attachments = [...(template.attachments ?? []), ...(flags.attachment ?? [])];
  const isTaken = [fragments, systemFragments, attachments].some((names) => names.includes('-'));
  const input = isTaken ? words.join(' ') : await inputText(words);
  const values = { ...asTexts(template.defaults), ...pairs('-p', flags.param) };
  const text = promptText(template.prompt, input, values);
  const system =
    flags.system ?? (template.system === undefined ? undefined : fillIn(template.system, { ...values, input }));
  if (text.trim() === '' && fragments.length === 0 && attachments.length === 0)
    throw new UsageError('There is no question: give it after "ask", or on standard input.');
  const extract = { first: flags.extract ?? template.extract, last: flags.extractLast ?? template.extract_last };
  return {
    text,
    system,
    model: flags.model ?? template.model,
    params: {
      ...readOptions(Object.entries(asTexts(template.options))),
      ...readOptions((flags.option ?? []).map((pair) => readPair('-o', pair))),
      ...(flags.maxTokens !== undefined && { maxTokens: flags.maxTokens }),
    },
    schema: (await schemaIn(flags)) ?? template.schema_object,
    fragments,
    systemFragments,
    attachments,
    tools: [...(template.tools ?? []), ...(flags.tool ?? [])],
    extract: extract.last ? 'last' : extract.first ? 'first' : undefined,
  };
}

/** The words, and below them what was sent to standard input. */
async function inputText(words: readonly string[]): Promise<string> {
  const said = words.join(' ');
  if (!hasInput()) return said;
  const input = toText(await readInput(), 'standard input');
  if (input.trim() === '') return said;
  return said.trim() === '' ? input : `${said}\n\n${input.trimEnd()}`;
}

function promptText(prompt: string | undefined, input: string, values: Readonly<Record<string, string>>): string {
  if (prompt === undefined) return input;
  const isPlaced = variablesIn(prompt).includes('input');
  if (isPlaced && input.trim() === '')
    throw new UsageError('The template needs some input: give it after "ask", or on standard input.');
  const text = fillIn(prompt, { ...values, input });
  return isPlaced || input.trim() === '' ? text : `${text.trimEnd()}\n${input}`;
}

async function schemaIn({ schema, schemaMulti }: QuestionFlags): Promise<JsonObject | undefined> {
  if (schema !== undefined && schemaMulti !== undefined)
    throw new UsageError('--schema is one object, and --schema-multi a list of them: leave one out.');
  const given = schema ?? schemaMulti;
  if (given === undefined) return undefined;
  if (!given.startsWith('t:')) return readSchema(given, { isMany: schemaMulti !== undefined });
  const { schema_object: saved } = await readTemplate(given.slice(2));
  if (!saved) throw new UsageError(`The template "${given.slice(2)}" has no schema.`);
  return schemaMulti === undefined ? saved : readSchema(JSON.stringify(saved), { isMany: true });
}

function pairs(flag: string, given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(given.map((pair) => readPair(flag, pair)));
}

function asTexts(values: Template['defaults'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

/** The content of the user's message: fragments, the question, attachments. Files are read and addresses fetched here. */
export async function questionContent(
  { text, fragments, attachments }: Pick<QuestionPlan, 'text' | 'fragments' | 'attachments'>,
  config: Pick<Config, 'fetch'>,
): Promise<string | readonly ContentBlock[]> {
  const texts: string[] = [];
  for (const name of fragments) texts.push(await readFragment(name, config));
  const media: ContentBlock[] = [];
  for (const name of attachments) media.push(await readAttachment(name, config));
  if (text.trim() !== '') texts.push(text);
  if (texts.length === 1 && media.length === 0) return texts[0]!;
  return [...texts.map((one): ContentBlock => ({ type: 'text', text: one })), ...media];
}

/** The system text with its fragments above it. */
export async function systemText(
  { system, systemFragments }: Pick<QuestionPlan, 'system' | 'systemFragments'>,
  config: Pick<Config, 'fetch'>,
): Promise<string | undefined> {
  const texts: string[] = [];
  for (const name of systemFragments) texts.push(await readFragment(name, config));
  const all = [...texts, ...(system === undefined ? [] : [system])];
  return all.length === 0 ? undefined : all.join('\n\n');
}

/** A text from a file, an address, or `-` for standard input. */
async function readFragment(name: string, config: Pick<Config, 'fetch'>): Promise<string> {
  if (name === '-') return toText(await readInput(), 'standard input');
  if (/^https?:\/\//i.test(name)) return toText(await fetchBytes(name, config), name);
  return toText(await readFile(name), name);
}

/** The template that `--save` writes. Relative paths become absolute, so that it works in every folder. */
export async function toTemplate(words: readonly string[], flags: QuestionFlags): Promise<Template> {
  if (flags.template !== undefined) throw new UsageError('--save makes a template from flags: leave -t out.');
  const schema = await schemaIn(flags);
  const { system, model, fragment, systemFragment, attachment, tool } = flags;
  const options = { ...pairs('-o', flags.option), ...(flags.maxTokens && { max_tokens: flags.maxTokens }) };
  const defaults = pairs('-p', flags.param);
  readOptions(Object.entries(asTexts(options)));
  const template: Template = {
    ...(words.length > 0 && { prompt: words.join(' ') }),
    ...(system !== undefined && { system }),
    ...(model !== undefined && { model }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(Object.keys(defaults).length > 0 && { defaults }),
    ...(schema && { schema_object: schema }),
    ...(fragment && { fragments: fragment.map(absolute) }),
    ...(systemFragment && { system_fragments: systemFragment.map(absolute) }),
    ...(attachment && { attachments: attachment.map(absolute) }),
    ...(tool && { tools: tool.map((name) => (isModule(name) ? absolute(name) : name)) }),
    ...(flags.extract && { extract: true }),
    ...(flags.extractLast && { extract_last: true }),
  };
  if (Object.keys(template).length === 0)
    throw new UsageError('There is nothing to save: give a prompt, -s, -m, -o or another flag.');
  return template;
}

function absolute(name: string): string {
  return name === '-' || /^https?:\/\//i.test(name) ? name : resolve(name);
}

/** Whether a name after `-T` is a module, not a built-in tool. */
export function isModule(name: string): boolean {
  return /[\\/]|\.[cm]?[jt]s(#|$)/.test(name);
}

/** The fenced code of an answer; the whole answer if it has none. */
export function extractCode(text: string, which: 'first' | 'last'): string {
  const fences = [...text.matchAll(/^ {0,3}(```+|~~~+)[^\n]*\n([\s\S]*?)^ {0,3}\1[ \t]*$/gm)].map((match) => match[2]!);
  return (which === 'first' ? fences[0] : fences.at(-1)) ?? text;
}
