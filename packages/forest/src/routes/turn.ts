import { type Approval, type FunctionTool, isSkeinError, type Message, system, toolResult } from '@skein/core';
import type { Engine, GenerateOptions, GenerationState, StoredEvent } from '../engine/index.ts';
import { allItems, appendOnce, createContext, type Forest, ForestError, type Thread } from '../forest/index.ts';
import { ROOT } from '../model/ids.ts';
import { showsTheSame } from '../record/index.ts';

/** What a page sends to get an answer. */
export interface PostedTurn {
  /** The id that the page gave to the conversation. */
  readonly chat: string;
  /** The id that the page gave to this turn. */
  readonly run?: string;
  /** In order; the last one is to be answered. */
  readonly messages: readonly PostedMessage[];
  /** Whether `messages` is the whole conversation. Otherwise it continues at the head. */
  readonly isWhole: boolean;
  /** Whether another answer to the same question is wanted. */
  readonly again: boolean;
  /** Tools that run in the page. */
  readonly tools: readonly FunctionTool[];
}

/** A message as the page has it. The page may hold a shortened copy of an answer: what the forest stores counts. */
export interface PostedMessage {
  readonly role: 'user' | 'assistant';
  /** A node, if the page got the message from here. */
  readonly id: string | undefined;
  /** The generation that wrote it, if the page got it from here. */
  readonly generation?: string | undefined;
  /** What is stored if the message is not known yet. */
  readonly messages: readonly Message[];
  /** What the page decided about calls, and the results of its own tools, by call id. */
  readonly answers: Readonly<Record<string, Approval>>;
}

/** The events of a generation that belong to a turn: those after an event id. */
export interface StartedTurn {
  readonly generation: string;
  readonly after?: string;
}

/** The response to a request that cannot be answered. It is thrown; pages show its text. */
export function refusal(status: 400 | 404 | 405 | 409, why: string): Response {
  return new Response(why, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

interface TurnPlace {
  readonly forest: Forest;
  readonly engine: Engine;
  readonly thread: string;
}

/** Stores what a page posted, where it belongs in the tree, and lets the model answer or continue. */
export async function startTurn(
  place: TurnPlace,
  turn: PostedTurn,
  { system: systemText, options }: { readonly system: string | undefined; readonly options: GenerateOptions },
): Promise<StartedTurn> {
  const { forest, engine, thread: id } = place;
  const last = turn.messages.at(-1);
  if (!last) throw refusal(400, 'There is no message to answer: "messages" is empty.');
  const there = await findThread(forest, id);
  if (there?.recorded)
    throw refusal(409, `Thread ${id} is a recording and cannot be continued: fork it, and use the id of the fork.`);
  const walk = new TurnWalk(place, turn.isWhole || !there ? await findStart(forest, there, systemText) : there.head);
  for (const message of turn.messages.slice(0, -1)) await walk.pass(message);
  const waiting = last.role === 'assistant' ? await walk.findGeneration(last) : undefined;
  if (waiting) return continueGeneration(place, waiting, { ...options, approvals: last.answers });
  await walk.pass(last);
  if (last.role === 'assistant')
    throw refusal(400, 'The last message is an answer that waits for nothing: post a message of the user.');
  await (there ? forest.threads.moveHead(id, walk.node) : forest.threads.create({ id, head: walk.node }));
  try {
    const { id: generation } = await engine.generate(walk.node, { ...options, thread: id, again: turn.again });
    return { generation };
  } catch (error) {
    // The page sent the same twice.
    const running = isSkeinError(error, 'generation_running')
      ? (error as { generation?: string }).generation
      : undefined;
    if (running === undefined || (await engine.get(running)).thread !== id) throw error;
    return { generation: running };
  }
}

/** Returns a thread, or undefined if there is none yet. */
export async function findThread(forest: Forest, id: string): Promise<Thread | undefined> {
  try {
    const thread = await forest.threads.get(id);
    if (thread.deleted) throw refusal(404, `Thread ${id} was deleted.`);
    return thread;
  } catch (error) {
    if (isSkeinError(error, 'unknown_thread')) return undefined;
    throw error;
  }
}

/** The node below which the first message of the user is. A conversation keeps the system text that it began with. */
async function findStart(forest: Forest, thread: Thread | undefined, text: string | undefined): Promise<string> {
  const context = createContext(forest.store, forest.clock);
  if (!thread) return text === undefined ? ROOT : appendOnce(context, ROOT, system(text));
  const path = await forest.path(thread.head);
  const first = path.findIndex(({ role }) => role !== 'system');
  return (first < 0 ? path : path.slice(0, first)).at(-1)?.id ?? ROOT;
}

async function continueGeneration(
  { engine, forest }: TurnPlace,
  { id, status, branches }: GenerationState,
  options: GenerateOptions & { readonly approvals: Readonly<Record<string, Approval>> },
): Promise<StartedTurn> {
  const after = await lastEnd(forest, id);
  if (status === 'running') return { generation: id, ...(after && { after: after.event }) };
  if (status === 'done')
    throw refusal(400, 'The last message is an answer that waits for nothing: post a message of the user.');
  const pending = branches[0]!.pending ?? [];
  const { approvals: given, ...rest } = options;
  const approvals = Object.fromEntries(pending.flatMap(({ id: call }) => (given[call] ? [[call, given[call]]] : [])));
  await engine.resume(id, { ...rest, approvals });
  return { generation: id, ...(after && { after: after.event }) };
}

/** Where a generation ended before it was resumed for the last time: the event, and the head at that time. */
export async function lastEnd(
  { store }: Pick<Forest, 'store'>,
  generation: string,
): Promise<{ readonly event: string; readonly head: string } | undefined> {
  let head: string | undefined;
  let found: { readonly event: string; readonly head: string } | undefined;
  for await (const { data } of allItems((page) => store.entries('event', { of: generation, ...page })))
    for (const { id, event } of data.events as readonly StoredEvent[]) {
      if (event.type === 'branch-end') ({ head } = event.state);
      if (event.type === 'end' && head !== undefined) found = { event: id, head };
    }
  return found;
}

/** Follows the messages of a page down the tree, and stores those that are not there yet. */
class TurnWalk {
  readonly #place: TurnPlace;
  node: string;

  constructor(place: TurnPlace, start: string) {
    this.#place = place;
    this.node = start;
  }

  async pass(posted: PostedMessage): Promise<void> {
    const known = await this.#find(posted);
    if (known !== undefined) {
      this.node = known;
      return;
    }
    for (const message of posted.messages) await this.#append(message);
  }

  /** The generation of this conversation that wrote a message. A page may name any: others are not for it. */
  async findGeneration({ generation }: PostedMessage): Promise<GenerationState | undefined> {
    const { engine, thread } = this.#place;
    if (generation === undefined) return undefined;
    try {
      const state = await engine.get(generation);
      return state.thread === thread ? state : undefined;
    } catch (error) {
      if (isSkeinError(error, 'unknown_generation')) return undefined;
      throw error;
    }
  }

  async #find(posted: PostedMessage): Promise<string | undefined> {
    const state = await this.findGeneration(posted);
    if (state && state.node === this.node) {
      this.node = state.branches[0]!.head;
      await this.#answerCalls(posted.answers, state);
      return this.node;
    }
    const { forest } = this.#place;
    if (posted.id === undefined || !/^[0-9a-f]{16,}$/.test(posted.id)) return undefined;
    try {
      const between = await forest.path(posted.id, this.node);
      const isOne = posted.role === 'user' ? between.length === 1 : between.every(({ role }) => role !== 'user');
      const [first] = between;
      const shown = posted.role === 'assistant' || (first && showsTheSame(first.message, posted.messages[0]!));
      return isOne && shown ? between.at(-1)?.id : undefined;
    } catch (error) {
      // The id is of no node below this one.
      if (error instanceof ForestError) return undefined;
      throw error;
    }
  }

  /** Results that the page gave for its own tools before the user went on writing. */
  async #answerCalls(answers: PostedMessage['answers'], { branches }: GenerationState): Promise<void> {
    for (const { id } of branches[0]!.pending ?? []) {
      const answer = answers[id];
      if (answer === undefined || answer === 'approve') continue;
      await this.#append(
        'result' in answer ? toolResult(id, answer.result) : toolResult(id, answer.deny, { isError: true }),
      );
    }
  }

  async #append(message: Message): Promise<void> {
    const { forest, thread } = this.#place;
    this.node = await appendOnce(createContext(forest.store, forest.clock), this.node, message, { thread });
  }
}
