import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { describeProblem, loadAgents, presetParams } from '@skein/agents';
import {
  type Approval,
  type ContentBlock,
  isObject,
  type JsonObject,
  type SkeinErrorCode,
  system,
  user,
} from '@skein/core';
import type {
  BranchState,
  Engine,
  Forest,
  ForestNode,
  Generation,
  GenerationEvent,
  ResumeOptions,
} from '@skein/forest';
import { hasRedaction, withForest } from '../context/command-context.ts';
import { locateStart, threadToWrite } from '../context/locate.ts';
import {
  continuingModel,
  findAgent,
  findModel,
  lastModel,
  modelName,
  openEngine,
  openModelAccess,
  titleConversation,
} from '../context/model-access.ts';
import {
  CommandError,
  counted,
  note,
  oneLine,
  say,
  sayJson,
  toPrintable,
  UsageError,
  warn,
  write,
} from '../output/output.ts';
import { createUsageSum, NO_USAGE, priceText, type UsageSum } from '../output/usage-text.ts';
import type { ForestFlags } from './forest-command.ts';

interface AskOptions extends ForestFlags {
  readonly model?: string;
  readonly preset?: string;
  readonly schema?: string;
  readonly system?: string;
  readonly at?: string;
  readonly maxTokens?: number;
}

export async function ask(words: readonly string[], options: AskOptions): Promise<void> {
  const { json, model, preset, schema: file, system: rule, at, maxTokens, store, project } = options;
  if (rule !== undefined && at !== undefined)
    throw new UsageError('--system begins a conversation, and --at continues one: leave one of them out.');
  const schema = file === undefined ? undefined : await readSchema(file);
  const question = await questionOf(words);
  await withForest({ store, project, model, preset }, async ({ config, forest, redact }) => {
    const start = await locateStart(forest, at);
    const last =
      start.thread && model === undefined ? await lastModel(forest, start.thread.id, start.node, config) : undefined;
    const named = last ?? (config.model === undefined ? undefined : findModel(config.model, config));
    const access = await openModelAccess(config, named ? [named.provider] : []);
    try {
      const chosen = continuingModel(last, config, access);
      const own = await threadToWrite(forest, start);
      const messages = [...(rule === undefined ? [] : [system(rule)]), user(question)];
      const thread = own
        ? await forest.threads.append(own.id, messages)
        : await forest.threads.begin(messages, { below: start.node });
      const asked = thread.head;
      const engine = await openEngine(forest, access);
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
      // A stream could cut a text that must be hidden in two.
      const isWhole = json === true || schema !== undefined || hasRedaction(config);
      const { branch } = await followGeneration(engine, generation, isWhole);
      refuseCalls(branch);
      requireAnswer(branch);
      const answer = await answerBelow(forest, asked, branch.head);
      const text = schema ? answerText(answer) : answer.message.text;
      if (json) {
        const { usage, cost } = await readGenerationUsage(forest, generation.id, asked, branch.head);
        const output = schema ? { output: JSON.parse(text) as unknown } : {};
        sayJson(
          redact({
            node: branch.head,
            thread: thread.id,
            model: modelName(chosen),
            text,
            ...output,
            usage,
            cost,
          }),
        );
      } else if (isWhole) say(toPrintable(redact(text)));
      await titleConversation(thread.id, { forest, config }, engine, access);
    } finally {
      await access.close();
    }
  });
}

/** The request contains the tools of the conversation, but the program that runs them is not here. */
function refuseCalls({ status, pending = [] }: BranchState): void {
  if (status !== 'waiting') return;
  const names = pending.map(({ name }) => name).join(', ');
  throw new CommandError(
    'tools_needed',
    `The model calls ${names}, which cannot run here: write its result on the page, or ask in "skein chat", which takes it.`,
  );
}

async function questionOf(words: readonly string[]): Promise<string> {
  const text = words.length > 0 ? words.join(' ') : process.stdin.isTTY ? '' : await readAll(process.stdin);
  if (text.trim() === '') throw new UsageError('There is no question: give it after "ask", or on standard input.');
  return text;
}

async function readSchema(file: string): Promise<JsonObject> {
  const text = await readFile(file, 'utf8');
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value as JsonObject;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not a JSON Schema: it has to be a JSON object.`);
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

interface RunOptions extends ForestFlags {
  readonly agents?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly steps?: number;
  readonly yes?: boolean;
}

export async function runAgent(name: string, words: readonly string[], options: RunOptions): Promise<void> {
  const { json, steps, yes, model, ...flags } = options;
  const goal = words.join(' ');
  await withForest(flags, async ({ config, forest, redact }) => {
    const other = model === undefined ? undefined : findModel(model, config);
    const access = await openModelAccess(config, other ? [other.provider] : []);
    const loaded = await loadAgents(config.agents, { config, env: access.env, forest });
    try {
      const agent = findAgent(name, loaded, config.agents);
      const { options: from, problems } = await agent.options();
      for (const problem of problems) warn(describeProblem(problem));
      const start = [...(from.system === undefined ? [] : [system(from.system)]), user(goal)];
      const thread = await forest.threads.begin(start);
      const asked = thread.head;
      const engine = await openEngine(forest, access);
      const { system: _inForest, ...rest } = from;
      const limits = { ...from.limits, ...(steps !== undefined && { steps }) };
      const growing = { ...rest, ...(other && { model: other, fallback: [] }), limits, label: agent.id };
      // A stream could cut a text that must be hidden in two.
      const isWhole = json === true || hasRedaction(config);
      let generation = await engine.generate(asked, { ...growing, thread: thread.id });
      let followed = await followGeneration(engine, generation, isWhole);
      while (yes && followed.branch.status === 'waiting') {
        generation = await approveAll(engine, generation, followed.branch, growing);
        followed = await followGeneration(engine, generation, isWhole, followed.after);
      }
      const { branch } = followed;
      const { usage, cost, replies } = await readGenerationUsage(forest, generation.id, asked, branch.head);
      const { text } = (await forest.node(branch.head)).message;
      const { status, stop, pending, error } = branch;
      if (json)
        sayJson(redact({ node: branch.head, thread: thread.id, status, stop, pending, error, text, usage, cost }));
      else {
        if (isWhole) say(toPrintable(redact(text)));
        note(`${counted(replies, 'reply', 'replies')}, ${priceText(cost)}; skein log ${thread.id}`);
      }
      requireAnswer(branch);
      await titleConversation(thread.id, { forest, config }, engine, access);
    } finally {
      await loaded.close();
      await access.close();
    }
  });
}

/** The result of following a generation, with the id of its last event, after which a resumed generation is followed. */
interface FollowResult {
  readonly branch: BranchState;
  readonly after: string | undefined;
}

/** Shows a generation while it runs: the answer on standard output, everything else on standard error. Ctrl+C stops it. */
async function followGeneration(
  engine: Engine,
  generation: Generation,
  quiet: boolean,
  behind?: string,
): Promise<FollowResult> {
  const stop = () => generation.stop();
  process.once('SIGINT', stop);
  try {
    let after = behind;
    let last = '\n';
    const endLine = () => {
      if (last !== '\n') write('\n');
      last = '\n';
    };
    for await (const { id, event } of engine.follow(generation.id, behind)) {
      after = id;
      if (event.type === 'text' && !quiet) {
        write(toPrintable(event.text));
        last = event.text.at(-1) ?? last;
      }
      if (event.type === 'message') endLine();
      const line = lineFor(event);
      if (line !== undefined) note(line);
    }
    endLine();
    return { branch: (await generation.result).branches[0]!, after };
  } finally {
    process.removeListener('SIGINT', stop);
  }
}

/** Approves all waiting calls, for `--yes`. */
async function approveAll(
  engine: Engine,
  generation: Generation,
  { pending = [] }: BranchState,
  options: ResumeOptions,
): Promise<Generation> {
  const approvals = Object.fromEntries(pending.map(({ id }): [string, Approval] => [id, 'approve']));
  return engine.resume(generation.id, { ...options, approvals });
}

/** Throws unless the branch has an answer. */
function requireAnswer({ status, error, pending = [], stop }: BranchState): void {
  if (status === 'done') return;
  if (status === 'waiting')
    throw new CommandError(
      'calls_open',
      `Waiting for approval of ${pending.map(({ name }) => name).join(', ')}: --yes approves every call.`,
    );
  if (error) throw new CommandError(error.code as SkeinErrorCode, error.message);
  throw new CommandError('no_answer', `It ended early: ${stop?.reason ?? status}.`);
}

function lineFor(event: GenerationEvent): string | undefined {
  if (event.type === 'tool-start') return `→ ${oneLine(event.name)}`;
  if (event.type === 'retry') return `Retrying (attempt ${event.attempt}): ${oneLine(event.reason, 200)}`;
  if (event.type === 'notice') return oneLine(event.notice.message, 200);
  return undefined;
}

interface GenerationUsage {
  readonly replies: number;
  readonly usage: NonNullable<UsageSum['usage']>;
  /** Undefined when the price of any reply is not known. */
  readonly cost: UsageSum['cost'];
}

/** The usage of one generation. Equal replies share a node, so nodes on the path may also have takes of other generations. */
async function readGenerationUsage(
  forest: Forest,
  generation: string,
  asked: string,
  head: string,
): Promise<GenerationUsage> {
  const path = head === asked ? [] : await forest.path(head, asked);
  const replies = path.flatMap(({ takes }) => takes.filter((take) => take.generation === generation && take.usage));
  const tally = createUsageSum();
  for (const { usage, cost } of replies) tally.add(usage, cost);
  return { replies: replies.length, usage: tally.usage ?? NO_USAGE, cost: tally.cost };
}
