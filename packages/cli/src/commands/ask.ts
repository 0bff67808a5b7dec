import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { presetParams } from '@skein/agents';
import { type ContentBlock, isObject, type JsonObject, system, user } from '@skein/core';
import { createEngine, type Forest, type ForestNode, ROOT } from '@skein/forest';
import type { Command } from 'commander';
import { harmless, oneLine, say, sayJson, UsageError } from '../output/output.ts';
import { defaultModel, modelNamed, nameOfModel, openAsking } from '../world/asking.ts';
import { findPlace } from '../world/find-place.ts';
import { followGeneration, needAnswer } from '../world/follow.ts';
import { hasRedaction, inWorld } from '../world/open-world.ts';
import { usedBy } from '../world/used.ts';
import { countOf, type ForestFlags, jsonCommand } from './forest-command.ts';

interface Options extends ForestFlags {
  readonly model?: string;
  readonly preset?: string;
  readonly schema?: string;
  readonly system?: string;
  readonly at?: string;
  readonly maxTokens?: number;
}

export function addAsk(program: Command): void {
  jsonCommand(program, 'ask', 'ask a model once; the answer goes to standard output, and both into the forest')
    .argument('[question...]', 'without one it is read from standard input')
    .option(
      '--model <provider/model>',
      'whom to ask; default: "model" of the configuration, or the first that there is a key for',
    )
    .option('--preset <name>', 'parameters by their name in the configuration')
    .option('--schema <file>', 'a JSON Schema that the answer has to fit; the answer is JSON')
    .option('--system <text>', 'how to answer')
    .option('--at <node|thread>', 'go on from there')
    .option('--max-tokens <count>', 'how long the answer may be', countOf)
    .action(ask);
}

async function ask(words: readonly string[], options: Options): Promise<void> {
  const { json, model, preset, schema: file, system: rule, at, maxTokens, store, project } = options;
  if (rule !== undefined && at !== undefined)
    throw new UsageError('--system begins a conversation, --at goes on with one.');
  const schema = file === undefined ? undefined : await readSchema(file);
  const question = await questionOf(words);
  await inWorld({ store, project, model, preset }, async ({ config, forest, redact }) => {
    const named = config.model === undefined ? undefined : modelNamed(config.model, config);
    const asking = await openAsking(config, named ? [named.provider] : []);
    try {
      const chosen = defaultModel(config, asking);
      const from = at === undefined ? { node: ROOT } : await findPlace(forest, at);
      const asked = await forest.append(from.node, [...(rule === undefined ? [] : [system(rule)]), user(question)]);
      const thread = from.thread ?? (await forest.threads.create({ head: asked, title: oneLine(question, 60) }));
      // The price list is large, and most commands do without it.
      const { costOf } = await import('@skein/core/prices');
      const engine = createEngine(forest, { env: asking.env, costOf });
      const generation = await engine.generate(asked, {
        model: chosen,
        ...(schema && { output: schema }),
        params: { ...presetParams(config), ...(maxTokens !== undefined && { maxTokens }) },
      });
      // What is to be hidden can be cut in two by a stream.
      const isWhole = json === true || schema !== undefined || hasRedaction(config);
      const { branch } = await followGeneration(engine, generation, isWhole);
      await forest.threads.moveHead(thread.id, branch.head);
      needAnswer(branch);
      const answer = await answerBelow(forest, asked, branch.head);
      const text = schema ? answerText(answer) : answer.message.text;
      if (json) {
        const { usage, cost } = await usedBy(forest, generation.id, asked, branch.head);
        const output = schema ? { output: JSON.parse(text) as unknown } : {};
        sayJson(
          redact({
            node: branch.head,
            thread: thread.id,
            model: nameOfModel(chosen),
            text,
            ...output,
            usage,
            cost,
          }),
        );
      } else if (isWhole) say(harmless(redact(text)));
    } finally {
      await asking.close();
    }
  });
}

async function questionOf(words: readonly string[]): Promise<string> {
  const text = words.length > 0 ? words.join(' ') : process.stdin.isTTY ? '' : await readAll(process.stdin);
  if (text.trim() === '') throw new UsageError('There is no question: give it behind "ask", or on standard input.');
  return text;
}

async function readSchema(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} is not a JSON Schema: it has to be a JSON object.`);
}

async function answerBelow(forest: Forest, asked: string, head: string): Promise<ForestNode> {
  const path = await forest.path(head, asked);
  const answer = path.findLast(({ role }) => role === 'assistant');
  if (!answer?.message.content.some(isSaid)) throw new Error('The model gave no answer.');
  return answer;
}

const isSaid = (block: ContentBlock) => block.type !== 'text' || block.text.trim() !== '';

/** Some models give an answer by a schema as the arguments of a call. */
const answerText = ({ message }: ForestNode) => message.toolUses.at(-1)?.rawParameters ?? message.text;
