import { type Config, describeProblem, loadAgents, presetParams } from '@skein/agents';
import { type Content, system, user } from '@skein/core';
import { type Engine, type Forest, type ForestNode, type GenerateOptions, ROOT, type Thread } from '@skein/forest';
import { threadToWrite, type WriteLocation } from '../context/locate.ts';
import {
  configuredProvider,
  continuingModel,
  findAgent,
  findModel,
  type ModelAccess,
  modelName,
  type NamedModel,
  openEngine,
  openModelAccess,
} from '../context/model-access.ts';
import { counted, UsageError, warn } from '../output/output.ts';

/** The position of a chat in the forest: what was asked, and how to move to another branch. */
export interface Session {
  readonly head: string;
  readonly thread: Thread | undefined;
  /** The questions so far, oldest first. */
  questions(): Promise<ForestNode[]>;
  /** Appends a question to the head. The first question begins a thread. */
  ask(content: Content, rule: string | undefined): Promise<string>;
  /** The thread to write into. It is a fork if the thread of the start must not change. */
  own(): Promise<Thread>;
  /** Moves to another node. The next question begins a new thread there. */
  moveTo(node: string): Promise<void>;
  /** Begins a new thread after a turn; 0 is before the first turn. Default: after the last one. */
  fork(turn?: number): Promise<Thread>;
  /** The branches to choose from: the children of the head, or the siblings at the last fork of the history. */
  branches(): Promise<readonly ForestNode[]>;
  /** The newest leaf below a node. */
  newestBelow(node: string): Promise<string>;
}

export function openSession(forest: Forest, start: WriteLocation): Session {
  let head = start.node;
  let { thread, forks } = start;
  const path = async () => (head === ROOT ? [] : forest.path(head));

  async function questions() {
    return (await path()).filter(isQuestion);
  }

  async function moveTo(node: string) {
    head = node;
    if (thread && !forks) thread = await forest.threads.moveHead(thread.id, node);
  }

  async function own() {
    thread = await threadToWrite(forest, { node: head, ...(thread && { thread }), forks });
    forks = false;
    if (!thread) throw new UsageError('Nothing was asked yet.');
    return thread;
  }

  return {
    get head() {
      return head;
    },
    get thread() {
      return thread;
    },
    questions,
    own,
    moveTo,
    async ask(content, rule) {
      const first = head === ROOT && rule !== undefined ? [system(rule)] : [];
      const messages = [...first, user(content)];
      thread = thread
        ? await forest.threads.append((await own()).id, messages, { at: head })
        : await forest.threads.begin(messages, { below: head });
      head = thread.head;
      return head;
    },
    async fork(turn) {
      if (!thread) throw new UsageError('There is nothing to fork yet: say something first.');
      const at = turn === undefined ? head : await endOfTurn(turn);
      // A thread needs a node, and before the first turn there is none.
      if (at === ROOT)
        throw new UsageError('Before the first turn there is nothing to share: start another skein chat.');
      thread = await forest.threads.fork(thread.id, { at });
      forks = false;
      head = at;
      return thread;
    },
    async branches() {
      const nodes = await path();
      const below = nodes.length === 0 ? [] : (await forest.children(head, { limit: 100 })).items;
      if (below.length > 0) return below;
      for (const node of nodes.slice(1).reverse()) {
        const all = await forest.siblings(node.id);
        if (all.length > 1) return all;
      }
      return [];
    },
    async newestBelow(node) {
      const { items } = await forest.leaves(node, { limit: 500 });
      return items.reduce<ForestNode | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined)?.id ?? node;
    },
  };

  async function endOfTurn(turn: number): Promise<string> {
    const asked = await questions();
    const next = asked[turn];
    if (next) return next.parent;
    if (turn === asked.length) return head;
    throw new UsageError(
      `There ${asked.length === 1 ? 'is' : 'are'} ${counted(asked.length, 'turn')}: give a number from 0 to ${asked.length}.`,
    );
  }
}

/** Whether a person wrote it. In some dialects, tool results have the role of the user, too. */
export function isQuestion({ role, message }: ForestNode): boolean {
  return role === 'user' && message.toolResults.length === 0;
}

/** Who answers: a model, or an agent with its system text and tools. */
export interface Partner {
  /** The name to show. */
  readonly name: string;
  readonly engine: Engine;
  readonly access: ModelAccess;
  readonly system: string | undefined;
  /** The options of each generation. */
  readonly options: GenerateOptions;
  close(): Promise<void>;
}

/** A name with a slash is a model, any other name an agent. Without a name, `last` answers: the model that answered so far. */
export async function openPartner(
  who: string | undefined,
  last: NamedModel | undefined,
  config: Config,
  forest: Forest,
): Promise<Partner> {
  const model = who?.includes('/') ? findModel(who, config) : undefined;
  const needed = who === undefined ? last : model;
  const access = await openModelAccess(
    config,
    needed ? [needed.provider] : who === undefined ? configuredProvider(config) : [],
  );
  const engine = await openEngine(forest, access);
  try {
    return who === undefined || model
      ? modelPartner(
          model ?? continuingModel(last, config, access),
          engine,
          access,
          last ? undefined : presetParams(config),
        )
      : await agentPartner(who, engine, access, config, forest);
  } catch (error) {
    await access.close();
    throw error;
  }
}

/** The same partner with another model. */
export function withModel(partner: Partner, model: NamedModel): Partner {
  return { ...partner, name: modelName(model), options: { ...partner.options, model, fallback: [] } };
}

/** Without parameters of its own, a conversation keeps those of its last request. */
function modelPartner(
  model: NamedModel,
  engine: Engine,
  access: ModelAccess,
  params: GenerateOptions['params'],
): Partner {
  const { close } = access;
  const options = { model, ...(params && { params }) };
  return { name: modelName(model), engine, access, system: undefined, options, close };
}

async function agentPartner(
  name: string,
  engine: Engine,
  access: ModelAccess,
  config: Config,
  forest: Forest,
): Promise<Partner> {
  const loaded = await loadAgents(config.agents, { config, env: access.env, forest });
  const close = async () => {
    await loaded.close();
    await access.close();
  };
  try {
    const agent = findAgent(name, loaded, config.agents, ' A model is written provider/model.');
    const { options, problems } = await agent.options();
    for (const problem of problems) warn(describeProblem(problem));
    const { system, ...rest } = options;
    const called = `${agent.name}, ${modelName(agent.model)}`;
    return { name: called, engine, access, system, options: { ...rest, label: agent.id }, close };
  } catch (error) {
    await loaded.close();
    throw error;
  }
}
