import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import type { Config } from '@skein/agents';
import { type Content, type ContentBlock, hasKey, nearest, providers, type RequestParams } from '@skein/core';
import { type Forest, ROOT } from '@skein/forest';
import { type Completion, openHistory, readPrompt } from '../chat/prompt.ts';
import { isQuestion, openPartner, openSession, type Partner, type Session, withModel } from '../chat/session.ts';
import { createTurns } from '../chat/turns.ts';
import { type CommandContext, withForest } from '../context/command-context.ts';
import { locateStart, newestThread } from '../context/locate.ts';
import { findModel, lastModel, titleConversation } from '../context/model-access.ts';
import { modelAliases } from '../context/user-files.ts';
import { drawTree, nodeLine } from '../output/message-text.ts';
import { colors, counted, noteError, oneLine, say, shortId, toPrintable, UsageError } from '../output/output.ts';
import { createUsageSum, usageLine } from '../output/usage-text.ts';
import { outputColumns } from '../output/width.ts';
import { readAttachment } from '../question/attachments.ts';
import { readOptions, readPair } from '../question/options.ts';

export interface ChatOptions {
  readonly store?: string;
  readonly project?: string;
  readonly agents?: string;
  readonly model?: string;
  readonly preset?: string;
  readonly system?: string;
  readonly at?: string;
  readonly continue?: boolean;
  /** `name=value` each. */
  readonly option?: readonly string[];
  readonly think?: string;
}

/** Runs a conversation in the terminal until the user leaves. */
export async function chat(who: string | undefined, options: ChatOptions): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new UsageError('chat needs a terminal: in scripts, use skein ask.');
  const { at, continue: isLast, model, system, think, option = [], ...flags } = options;
  if (isLast && at !== undefined)
    throw new UsageError('-c continues the last conversation, and --at names one: leave one of them out.');
  if (system !== undefined && (at !== undefined || isLast))
    throw new UsageError('--system begins a conversation, and --at and -c continue one: leave one of them out.');
  const params = readOptions(option.map((pair) => readPair('-o', pair)));
  if (model !== undefined && who?.includes('/')) throw new UsageError(`Which one: ${who}, or --model ${model}?`);
  await withForest(flags, async (context) => {
    const { forest, config, redact } = context;
    const start = await locateStart(forest, isLast ? await newestThread(forest) : at);
    const session = openSession(forest, start);
    const last = start.thread && (await lastModel(forest, start.thread.id, start.node, config));
    const opened = await openPartner(who ?? model, last, config, forest);
    const other = model === undefined || who === undefined ? opened : withModel(opened, findModel(model, config));
    let partner = withParams(other, { ...params, ...(think !== undefined && thinking(think)) });
    const tally = createUsageSum();
    const turns = createTurns(context, session, partner.engine, tally);
    const chatting: ChatContext = {
      session,
      forest,
      redact,
      answer: (asked) => turns.answer(asked, partner.options),
      modelName: () => partner.name,
      useModel: (name) => {
        partner = withModel(partner, findModel(name, config));
      },
      attached: [],
      attach: async (given) => {
        chatting.attached.push(await readAttachment(given, config));
      },
      models: () => knownModels(config, partner.access.env),
    };
    try {
      say(colors.dim(`${toPrintable(partner.name)}. /help lists the commands, /quit leaves.`));
      if (session.head !== ROOT) {
        const { message, role } = await forest.node(session.head);
        say(colors.dim(`Continuing from ${role}: ${oneLine(redact(message.text))}`));
      }
      await untilLeft(turns, chatting, (content) => session.ask(content, system ?? partner.system));
      if (tally.usage) say(`${counted(turns.count, 'turn')}: ${usageLine(tally.usage, tally.cost)}`);
      if (session.thread && turns.count > 0)
        await titleConversation(session.thread.id, context, partner.engine, partner.access);
      if (session.thread) say(`skein chat --at ${session.thread.id} continues it.`);
    } finally {
      await opened.close();
    }
  });
}

function thinking(how: string): RequestParams {
  return { reasoning: /^\d+$/.test(how) ? { budget: Number(how) } : { effort: how } };
}

/** The same partner with some parameters of the user. Without any, a conversation keeps those of its last request. */
function withParams(partner: Partner, params: RequestParams): Partner {
  if (Object.keys(params).length === 0) return partner;
  return { ...partner, options: { ...partner.options, params: { ...partner.options.params, ...params } } };
}

/** Reads messages and commands until the user leaves. */
async function untilLeft(
  turns: ReturnType<typeof createTurns>,
  chatting: ChatContext,
  ask: (content: Content) => Promise<string>,
): Promise<void> {
  const history = openHistory();
  const complete = completionFor(chatting);
  while (!turns.isLeaving) {
    const turn = (await chatting.session.questions()).length + 1;
    const mark = chatting.attached.length > 0 ? ` +${chatting.attached.length}` : '';
    const typed = await readPrompt(colors.bold(`${turn}${mark}> `), { history, complete });
    if (typed.kind === 'end') return;
    if (typed.kind === 'interrupt') {
      turns.interrupt();
      if (!turns.isLeaving) say(colors.dim('Ctrl+C once more leaves.'));
      continue;
    }
    turns.goOn();
    const { text } = typed;
    try {
      if (text.startsWith('/') && !text.startsWith('//')) {
        if (await runCommand(text, chatting)) return;
      } else if (text.trim() !== '') {
        const said = text.replace(/^\/\//, '/');
        const attached = chatting.attached.splice(0);
        const content: Content = attached.length === 0 ? said : [{ type: 'text', text: said }, ...attached];
        await chatting.answer(await ask(content));
      }
    } catch (error) {
      noteError(error);
    }
  }
}

/** What the slash commands of a chat use. */
interface ChatContext {
  readonly session: Session;
  readonly forest: Forest;
  readonly redact: CommandContext['redact'];
  /** Asks the model to answer a node. */
  answer(asked: string): Promise<void>;
  modelName(): string;
  useModel(name: string): void;
  /** What goes with the next message. */
  readonly attached: ContentBlock[];
  attach(given: string): Promise<void>;
  /** The names that `/model` takes: aliases, and the listed models of providers with a key. */
  models(): Promise<readonly string[]>;
}

interface ChatCommand {
  readonly takes: string;
  readonly does: string;
  /** Returns true to leave the chat. */
  run(chat: ChatContext, given: string): Promise<boolean | undefined> | boolean | undefined;
}

const done = undefined;

const COMMANDS: Readonly<Record<string, ChatCommand>> = {
  help: { takes: '', does: 'this list', run: help },
  again: { takes: '', does: 'ask the last question again, in another branch', run: again },
  back: { takes: '[turns]', does: 'go back before the last question; what you say next begins a branch', run: back },
  fork: { takes: '[turn]', does: 'begin a new thread from here, or from after a turn', run: fork },
  siblings: { takes: '[number]', does: 'list the branches beside this one; with a number, go to one', run: siblings },
  model: {
    takes: '[provider/model]',
    does: 'show the model that answers, or choose another; Tab completes',
    run: model,
  },
  attach: {
    takes: '[path | url]',
    does: 'attach a file to the next message; without one, forget what is attached',
    run: attach,
  },
  thinking: { takes: '', does: 'show the thinking before the last answer', run: showThinking },
  tree: { takes: '', does: 'show everything below the first message', run: tree },
  save: { takes: '[name]', does: 'name the conversation, and bookmark the current node', run: save },
  quit: { takes: '', does: 'leave (Ctrl+D, or Ctrl+C twice)', run: () => true },
};

/** Runs a slash command. Returns true to leave the chat. */
async function runCommand(line: string, chat: ChatContext): Promise<boolean> {
  const [, name = '', given = ''] = /^\/(\S*)\s*([\s\S]*)$/.exec(line) ?? [];
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) return (await command.run(chat, given.trim())) === true;
  const near = nearest(name, Object.keys(COMMANDS));
  const hint = near === undefined ? '/help lists all.' : `Did you mean /${near}?`;
  throw new UsageError(
    `There is no command /${name.slice(0, 40)}. ${hint} Begin with // to say something with a slash.`,
  );
}

function help() {
  for (const [name, { takes, does }] of Object.entries(COMMANDS)) say(`  ${`/${name} ${takes}`.padEnd(25)} ${does}`);
  say('  Alt+Enter, or \\ at the end of a line, continues in the next; so do lines between """ and """.');
  say('  Ctrl+C stops an answer and keeps what has arrived. Tab completes commands, models and files.');
  return done;
}

async function again({ session, answer }: ChatContext) {
  const last = (await session.questions()).at(-1);
  if (!last) throw new UsageError('Nothing was asked yet.');
  await answer(last.id);
  return done;
}

async function back({ session }: ChatContext, given: string) {
  const questions = await session.questions();
  const count = given === '' ? 1 : countIn(given, questions.length);
  const question = questions.at(-count);
  if (!question) throw new UsageError('Nothing was asked yet.');
  await session.moveTo(question.parent);
  say(colors.dim(`Before: ${oneLine(question.message.text, 60)}`));
  return done;
}

async function fork({ session }: ChatContext, given: string) {
  const { length } = await session.questions();
  const thread = await session.fork(given === '' ? undefined : countIn(given, length, 0));
  say(colors.dim(`Thread ${thread.id}, from after turn ${given === '' ? length : given}.`));
  return done;
}

async function siblings({ session, forest, redact }: ChatContext, given: string) {
  const all = await session.branches();
  if (all.length === 0) {
    say(colors.dim('There are no branches beside this one: /again, /back and /fork make some.'));
    return done;
  }
  if (given === '') {
    const onPath = new Set((await forest.path(session.head)).map(({ id }) => id));
    for (const [index, node] of all.entries())
      say(`${onPath.has(node.id) ? '*' : ' '} ${index + 1} ${nodeLine(node, redact)}`);
    return done;
  }
  const chosen = all[countIn(given, all.length) - 1]!;
  await session.moveTo(await session.newestBelow(chosen.id));
  say(colors.dim(`Now at: ${oneLine(redact((await forest.node(session.head)).message.text), 60)}`));
  return done;
}

function model(chat: ChatContext, given: string) {
  if (given !== '') chat.useModel(given);
  say(colors.dim(chat.modelName()));
  return done;
}

async function attach(chat: ChatContext, given: string) {
  if (given === '') {
    say(colors.dim(`${counted(chat.attached.splice(0).length, 'attachment')} forgotten.`));
    return done;
  }
  // Shells and file managers quote paths with spaces.
  await chat.attach(given.replace(/^(['"])(.*)\1$/, '$2').replaceAll('\\ ', ' '));
  say(colors.dim(`${counted(chat.attached.length, 'attachment')} for the next message.`));
  return done;
}

async function knownModels(config: Config, env: NodeJS.ProcessEnv): Promise<string[]> {
  // The price list is large, and is needed only when somebody presses Tab.
  const { listedModels } = await import('@skein/core/prices');
  const all = [...Object.values(config.providers), ...providers()];
  const ids = new Set(all.flatMap((one) => (one.connection && hasKey(one, { env }) ? [one.id] : [])));
  const models = [...ids].flatMap((id) => listedModels(id).map((model) => `${id}/${model}`));
  return [...Object.keys(modelAliases().read()), ...models];
}

/** What Tab offers: commands, the models of `/model`, and the files of `/attach`. */
function completionFor(chat: ChatContext): Completion {
  return async (line) => {
    const [, name, given] = /^\/(\S*)(?:\s+(.*))?$/.exec(line) ?? [];
    if (name === undefined) return [[], line];
    if (given === undefined && !/\s$/.test(line))
      return [Object.keys(COMMANDS).flatMap((one) => (one.startsWith(name) ? [`/${one} `] : [])), line];
    const start = given ?? '';
    if (name === 'model') return [(await chat.models()).filter((one) => one.startsWith(start)), start];
    return name === 'attach' ? [await filesLike(start), start] : [[], line];
  };
}

/** The files and folders whose paths begin like this. */
async function filesLike(start: string): Promise<string[]> {
  const folder = start.slice(0, start.lastIndexOf('/') + 1);
  const place = folder.replace(/^~\//, `${homedir()}/`);
  const entries = await readdir(place === '' ? '.' : place, { withFileTypes: true }).catch(() => []);
  return entries
    .map((one) => `${folder}${one.name}${one.isDirectory() ? '/' : ''}`)
    .filter((path) => path.startsWith(start) && !path.slice(folder.length).startsWith('.'))
    .sort();
}

async function showThinking({ session, forest, redact }: ChatContext) {
  const path = session.head === ROOT ? [] : await forest.path(session.head);
  const answers = path.slice(path.findLastIndex(isQuestion) + 1);
  const thoughts = answers.flatMap(({ message }) =>
    message.content.flatMap((block) => (block.type === 'reasoning' && !block.redacted ? [block.text] : [])),
  );
  say(colors.dim(thoughts.length === 0 ? 'Nothing was thought aloud.' : toPrintable(redact(thoughts.join('\n\n')))));
  return done;
}

async function tree({ session, forest, redact }: ChatContext) {
  const [first] = session.head === ROOT ? [] : await forest.path(session.head);
  if (!first) throw new UsageError('Nothing was said yet.');
  const page = await forest.topology({ below: first.id, limit: 200 });
  const path = new Set((await forest.path(session.head)).map(({ id }) => id));
  for (const { id, graph } of [{ id: first.id, graph: '* ' }, ...drawTree(page.items, first.id, path)]) {
    const here = id === session.head ? colors.green(' ← here') : '';
    say(`${graph}${nodeLine(await forest.node(id), redact, Math.max(20, outputColumns() - graph.length - 32))}${here}`);
  }
  if (page.next !== undefined) say(colors.dim('There are more: skein tree shows them.'));
  return done;
}

async function save({ session, forest }: ChatContext, given: string) {
  if (!session.thread) throw new UsageError('There is nothing to save yet: say something first.');
  const title = given === '' ? session.thread.title : given;
  if (given !== '') await forest.threads.rename(session.thread.id, title);
  const { node } = await forest.bookmarks.add(session.head, title);
  say(colors.dim(`"${oneLine(title)}" is thread ${session.thread.id}, bookmarked at ${shortId(node)}.`));
  return done;
}

function countIn(text: string, most: number, least = 1): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= least && count <= most) return count;
  throw new UsageError(`Give a number from ${least} to ${most}.`);
}
