import type { Message } from '@skein/core';
import type { Forest, ForestNode } from '../forest/index.ts';
import type { TakeRecord } from '../model/records.ts';
import type { Judgement } from './judge.ts';
import { continueTools } from './tools.ts';
import type { Engine, GenerateOptions } from './types.ts';

/** What `rerunThreads` asks again. */
export interface RerunOptions extends Pick<GenerateOptions, 'params' | 'signal'> {
  /** The ids of the conversations. */
  readonly threads: readonly string[];
  /** The models that answer the last question of each, as `provider/model` or with their providers. */
  readonly models: readonly GenerateOptions['model'][];
  /** How many answers of each model. Default: 1. */
  readonly n?: number;
  /** Ask nothing more once answers and ratings of this run cost so much, in US dollars. What they cost is known when they are there. */
  readonly maxCost?: number;
  /** Whether an answer is good. */
  readonly check?: (answer: ForestNode) => boolean | Promise<boolean>;
  /** Rates an answer to a question, from −5 to 5; the rating is stored with it. */
  readonly judge?: (answer: ForestNode, original: ForestNode, question?: ForestNode) => Promise<Judgement>;
}

/** An answer of a model to the last question of a conversation, beside the original. */
export interface RerunAnswer {
  readonly thread: string;
  readonly model: string;
  /** `done`, or why there is no answer. */
  readonly status: string;
  /** The answer, a sibling of the original; absent if there is none. */
  readonly node?: string;
  readonly original: string;
  /** It was there already, from an earlier run. */
  readonly isKept: boolean;
  readonly cost?: number;
  readonly durationMs?: number;
  readonly characters: number;
  readonly toolCalls: number;
  /** Whether its text or its tool calls differ from those of the original. */
  readonly differs: boolean;
  /** Where they part; absent if they do not, or if there is no answer. */
  readonly difference?: AnswerDifference;
  readonly passed?: boolean;
  readonly rating?: number;
  readonly error?: string;
}

/** The first place where two answers say or call something else. */
export interface AnswerDifference {
  /** How many characters are the same before it. */
  readonly at: number;
  /** The words around it; empty where an answer has ended. */
  readonly original: string;
  readonly answer: string;
}

/**
 * Asks the last question of conversations again, of other models. Each answer becomes a branch beside the original. Answers
 * that an earlier run got are kept, so a run that was stopped goes on where it was.
 *
 * @example
 * for await (const { model, cost, passed } of rerunThreads(forest, engine, { threads, models: ['openai/gpt-5.5'] })) console.log(model, cost, passed);
 */
export async function* rerunThreads(
  forest: Forest,
  engine: Engine,
  options: RerunOptions,
): AsyncGenerator<RerunAnswer> {
  const { threads, models, n = 1, maxCost = Number.POSITIVE_INFINITY, signal } = options;
  let spent = 0;
  for (const id of threads) {
    const { head } = await forest.threads.get(id);
    const path = await forest.path(head);
    const at = path.findLastIndex(({ role }) => role === 'assistant');
    const original = path[at];
    if (!original) continue;
    const question = path.slice(0, at).findLast(({ role }) => role === 'user');
    for (const model of models) {
      const name = modelName(model);
      const known = await earlierAnswers(forest, original, name);
      for (let index = 0; index < n; index++) {
        if (signal?.aborted) return;
        const kept = known[index];
        if (!kept && spent >= maxCost) return;
        const common = { thread: id, model: name, original: original.id };
        const outcome = kept ?? (await askAgain(forest, engine, { thread: id, original, model }, options));
        if (!('node' in outcome)) {
          yield { ...common, ...outcome, isKept: false, characters: 0, toolCalls: 0, differs: true };
          continue;
        }
        const answer = await forest.node(outcome.node);
        const take = kept?.take ?? answer.takes.findLast(isGenerated);
        const described = describeAnswer(answer, original, take);
        if (!kept) spent += described.cost ?? 0;
        const { judgingCost = 0, ...judged } = await judgeAnswer(forest, { answer, original, question }, options);
        spent += judgingCost;
        yield { ...common, ...described, isKept: kept !== undefined, ...judged };
      }
    }
  }
}

function modelName(model: GenerateOptions['model']): string {
  return typeof model === 'string' ? model : `${model.provider.id}/${model.model}`;
}

/**
 * The answers of a model that earlier runs got, oldest first. An answer with the same bytes as another is one more take of its
 * node, so takes are counted; the first take of the original is the original itself.
 */
async function earlierAnswers(forest: Forest, original: ForestNode, name: string): Promise<EarlierAnswer[]> {
  const siblings = await forest.siblings(original.id);
  const answers = siblings.flatMap(({ id, takes }) =>
    (id === original.id ? takes.slice(1) : takes)
      .filter((take) => isGenerated(take) && `${take.provider}/${take.model}` === name)
      .map((take) => ({ node: id, take })),
  );
  return answers.sort((a, b) => a.take.at - b.take.at);
}

interface EarlierAnswer {
  readonly node: string;
  readonly take: TakeRecord;
}

function isGenerated({ via }: TakeRecord): boolean {
  return via === 'generate';
}

/**
 * Asks once, with the tools and settings of the request that got the original. No tool runs: what the model calls is its
 * answer, as it is in the original.
 */
async function askAgain(
  forest: Forest,
  engine: Engine,
  { thread, original, model }: { thread: string; original: ForestNode; model: GenerateOptions['model'] },
  { params: given, signal }: RerunOptions,
): Promise<{ readonly node: string } | { readonly status: string; readonly error: string }> {
  const question = original.parent;
  const recorded = await engine.lastRequest(thread, { at: original.id });
  const params = given ?? recorded?.params;
  const generation = await engine.generate(question, {
    ...{ model, again: true, tools: continueTools(recorded?.tools ?? []) },
    stopWhen: ({ steps }) => steps.at(-1)?.stop.reason !== 'pause',
    ...(params && { params }),
    ...(signal && { signal }),
  });
  const [branch] = (await generation.result).branches;
  const isAnswered = branch?.status === 'done' || branch?.status === 'waiting';
  if (isAnswered && branch.head !== question) {
    // Behind a call of a tool that was not offered is the message that refuses it.
    const path = await forest.path(branch.head);
    return { node: path.find(({ parent }) => parent === question)!.id };
  }
  return { status: branch?.status ?? 'failed', error: branch?.error?.message ?? 'The model gave no answer.' };
}

function describeAnswer({ id, message }: ForestNode, original: ForestNode, take: TakeRecord | undefined) {
  const { cost, durationMs } = take ?? {};
  const difference = findDifference(spellAnswer(original.message), spellAnswer(message));
  return {
    status: 'done',
    node: id,
    ...(cost !== undefined && { cost }),
    ...(durationMs !== undefined && { durationMs }),
    characters: message.text.length,
    toolCalls: message.toolUses.length,
    differs: difference !== undefined,
    ...(difference && { difference }),
  };
}

/**
 * What an answer says and calls, as one text.
 *
 * @example
 * spellAnswer(message); // 'I look.\nget_weather({"city":"Oslo"})'
 */
export function spellAnswer({ text, toolUses }: Pick<Message, 'text' | 'toolUses'>): string {
  const calls = toolUses.map(({ name, parameters }) => `${name}(${JSON.stringify(parameters)})`);
  return [text, ...calls].filter((part) => part !== '').join('\n');
}

/** How many characters before and behind the place are shown. */
const BEFORE = 20;
const BEHIND = 60;

function findDifference(original: string, answer: string): AnswerDifference | undefined {
  if (original === answer) return undefined;
  let at = 0;
  while (at < original.length && original[at] === answer[at]) at++;
  const start = Math.max(0, at - BEFORE);
  const excerpt = (text: string) =>
    at >= text.length
      ? ''
      : `${start > 0 ? '…' : ''}${text.slice(start, at + BEHIND)}${at + BEHIND < text.length ? '…' : ''}`;
  return { at, original: excerpt(original), answer: excerpt(answer) };
}

interface JudgedAnswer {
  readonly answer: ForestNode;
  readonly original: ForestNode;
  readonly question: ForestNode | undefined;
}

/** A judge that fails leaves an answer without a rating; the next run asks it again. */
async function judgeAnswer(
  forest: Forest,
  { answer, original, question }: JudgedAnswer,
  { check, judge }: RerunOptions,
): Promise<Pick<RerunAnswer, 'passed' | 'rating' | 'error'> & { readonly judgingCost?: number }> {
  const passed = await check?.(answer);
  const known = { ...(passed !== undefined && { passed }) };
  const { rating: kept } = answer.marks;
  if (kept !== undefined || !judge) return { ...known, ...(kept !== undefined && { rating: kept }) };
  try {
    const { rating, cost } = await judge(answer, original, question);
    if (rating !== undefined) await forest.rate(answer.id, rating);
    return { ...known, ...(rating !== undefined && { rating }), ...(cost !== undefined && { judgingCost: cost }) };
  } catch (error) {
    return { ...known, error: `The judge gave no rating: ${(error as Error).message}` };
  }
}
