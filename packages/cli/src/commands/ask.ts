import { findTools, presetParams } from '@skein/agents';
import { type ContentBlock, system, type Tool, user } from '@skein/core';
import type { BranchState, Forest, ForestNode } from '@skein/forest';
import { type CommandContext, hasRedaction, withForest } from '../context/command-context.ts';
import { locateStart, newestThread, threadToWrite } from '../context/locate.ts';
import {
  continuingModel,
  findModel,
  lastModel,
  modelName,
  openEngine,
  openModelAccess,
  titleConversation,
} from '../context/model-access.ts';
import { CommandError, note, say, sayJson, toPrintable, UsageError } from '../output/output.ts';
import { usageLine } from '../output/usage-text.ts';
import {
  extractCode,
  isModule,
  planQuestion,
  type QuestionFlags,
  questionContent,
  systemText,
  toTemplate,
} from '../question/question.ts';
import { writeTemplate } from '../question/template.ts';
import type { ForestFlags } from './forest-command.ts';
import { approveAll, followGeneration, readGenerationUsage, requireAnswer } from './generation.ts';

interface AskOptions extends ForestFlags, QuestionFlags {
  readonly preset?: string;
  readonly at?: string;
  readonly continue?: boolean;
  readonly save?: string;
  readonly stream: boolean;
  readonly usage?: boolean;
  readonly yes?: boolean;
}

export async function ask(words: readonly string[], options: AskOptions): Promise<void> {
  const { json, preset, at, store, project, save } = options;
  if (options.continue && at !== undefined)
    throw new UsageError('-c continues the last conversation, and --at names one: leave one of them out.');
  if (save !== undefined) {
    const file = await writeTemplate(save, await toTemplate(words, options));
    note(`Saved as ${file}. skein ask -t ${save} uses it.`);
    return;
  }
  const plan = await planQuestion(words, options);
  const { model, schema, extract } = plan;
  if ((plan.system ?? plan.systemFragments[0]) !== undefined && (at !== undefined || options.continue))
    throw new UsageError('--system begins a conversation, and --at and -c continue one: leave one of them out.');
  await withForest({ store, project, model, preset }, async (context) => {
    const { config, forest, redact } = context;
    const from = options.continue ? await newestThread(forest) : at;
    const start = await locateStart(forest, from);
    const last =
      start.thread && model === undefined ? await lastModel(forest, start.thread.id, start.node, config) : undefined;
    const named = last ?? (config.model === undefined ? undefined : findModel(config.model, config));
    const tools = await toolsFor(plan.tools, context);
    const rule = await systemText(plan, config);
    const content = await questionContent(plan, config);
    const access = await openModelAccess(config, named ? [named.provider] : []);
    try {
      const chosen = continuingModel(last, config, access);
      const own = await threadToWrite(forest, start);
      const messages = [...(rule === undefined ? [] : [system(rule)]), user(content)];
      const thread = own
        ? await forest.threads.append(own.id, messages)
        : await forest.threads.begin(messages, { below: start.node });
      const asked = thread.head;
      const engine = await openEngine(forest, access);
      const { params } = (await engine.lastRequest(thread.id)) ?? {};
      const growing = {
        ...(schema && { output: schema }),
        ...(tools && { tools }),
        params: {
          ...(params ?? presetParams(config)),
          ...(preset !== undefined && presetParams(config)),
          ...plan.params,
        },
      };
      // A stream could cut a text that must be hidden in two.
      const isWhole =
        json === true || !options.stream || schema !== undefined || extract !== undefined || hasRedaction(config);
      let generation = await engine.generate(asked, { ...growing, model: chosen, thread: thread.id });
      let followed = await followGeneration(engine, generation, isWhole);
      while (options.yes && tools && followed.branch.status === 'waiting') {
        generation = await approveAll(engine, generation, followed.branch, growing);
        followed = await followGeneration(engine, generation, isWhole, followed.after);
      }
      const { branch } = followed;
      refuseCalls(branch, tools ?? []);
      requireAnswer(branch);
      const answer = await answerBelow(forest, asked, branch.head);
      const text = schema ? answerText(answer) : answer.message.text;
      const shown = extract ? extractCode(text, extract) : text;
      const spent = await readGenerationUsage(forest, generation.id, asked, branch.head);
      if (json)
        sayJson(
          redact({
            node: branch.head,
            thread: thread.id,
            model: modelName(chosen),
            text: shown,
            ...(schema && { output: JSON.parse(text) as unknown }),
            usage: spent.usage,
            cost: spent.cost ?? null,
          }),
        );
      else if (isWhole) say(toPrintable(redact(shown)).replace(/\n$/, ''));
      if (options.usage) note(usageLine(spent.usage, spent.cost));
      await titleConversation(thread.id, { forest, config }, engine, access);
    } finally {
      await access.close();
    }
  });
}

/** The tools of `-T`; undefined without any, so that a continued conversation keeps those of its last request. */
async function toolsFor(
  names: readonly string[],
  { config, forest }: CommandContext,
): Promise<readonly Tool[] | undefined> {
  if (names.length === 0) return undefined;
  const paths = names.map((name) => (isModule(name) && !/^\.{0,2}[\\/]|^[A-Za-z]:/.test(name) ? `./${name}` : name));
  const { tools, problems } = await findTools(paths, { config, forest });
  if (problems[0] !== undefined) throw new UsageError(`-T: ${problems.join(' ')}`);
  return tools;
}

/** The request contains the tools of the conversation, but the program that runs them is not here. */
function refuseCalls({ status, pending = [] }: BranchState, own: readonly Tool[]): void {
  const foreign = pending.filter(({ name }) => !own.some((tool) => tool.name === name));
  if (status !== 'waiting' || foreign.length === 0) return;
  const names = foreign.map(({ name }) => name).join(', ');
  throw new CommandError(
    'tools_needed',
    `The model calls ${names}, which cannot run here: write its result on the page, or ask in "skein chat", which takes it.`,
  );
}

async function answerBelow(forest: Forest, asked: string, head: string): Promise<ForestNode> {
  const path = await forest.path(head, asked);
  const answer = path.findLast(({ role }) => role === 'assistant');
  if (!answer?.message.content.some(isSaid)) throw new CommandError('no_answer', 'The model gave no answer.');
  return answer;
}

const isSaid = (block: ContentBlock) => block.type !== 'text' || block.text.trim() !== '';

/** Some models give an answer that follows a schema as the arguments of a call. */
const answerText = ({ message }: ForestNode) => message.toolUses.at(-1)?.rawParameters ?? message.text;
