import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { presetParams } from '@skein/agents';
import { type ContentBlock, isObject, type JsonObject, system, user } from '@skein/core';
import type { BranchState, Forest, ForestNode } from '@skein/forest';
import type { Command } from 'commander';
import { harmless, say, sayJson, UsageError } from '../output/output.ts';
import {
  lastModel,
  modelNamed,
  modelToGoOn,
  nameOfModel,
  openAsking,
  openEngine,
  titleConversation,
} from '../world/asking.ts';
import { followGeneration, needAnswer } from '../world/follow.ts';
import { hasRedaction, inWorld } from '../world/open-world.ts';
import { startAt, threadToWrite } from '../world/start.ts';
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
      'whom to ask; default: who answered so far, "model" of the configuration, or the first that there is a key for',
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
    const start = await startAt(forest, at);
    const last =
      start.thread && model === undefined ? await lastModel(forest, start.thread.id, start.node, config) : undefined;
    const named = last ?? (config.model === undefined ? undefined : modelNamed(config.model, config));
    const asking = await openAsking(config, named ? [named.provider] : []);
    try {
      const chosen = modelToGoOn(last, config, asking);
      const own = await threadToWrite(forest, start);
      const messages = [...(rule === undefined ? [] : [system(rule)]), user(question)];
      const thread = own
        ? await forest.threads.append(own.id, messages)
        : await forest.threads.begin(messages, { below: start.node });
      const asked = thread.head;
      const engine = await openEngine(forest, asking);
      const { params } = (await engine.lastRequest(thread.id)) ?? {};
      const generation = await engine.generate(asked, {
        model: chosen,
        thread: thread.id,
        ...(schema && { output: schema }),
        params: {
          ...(params ?? presetParams(config)),
          ...(preset !== undefined && presetParams(config)),
          ...(maxTokens !== undefined && { maxTokens }),
        },
      });
      // What is to be hidden can be cut in two by a stream.
      const isWhole = json === true || schema !== undefined || hasRedaction(config);
      const { branch } = await followGeneration(engine, generation, isWhole);
      refuseCalls(branch);
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
      await titleConversation(thread.id, { forest, config }, engine, asking);
    } finally {
      await asking.close();
    }
  });
}

/** The conversation's own tools are sent along, and their program is not here to run them. */
function refuseCalls({ status, pending = [] }: BranchState): void {
  if (status !== 'waiting') return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new Error(
    `The model calls ${names}, which cannot run here: write its result on the page, or ask in "skein chat", which takes it.`,
  );
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
