import type { ContentBlock, ToolUseBlock } from '@skein/core';
import type { TakeRecord } from '../../model/records.ts';
import type { Forest } from '../forest.ts';
import { allItems } from '../pages.ts';
import { readLineage, selectTakes, type Thread } from '../threads/thread.ts';
import { readPrompt } from '../threads/title.ts';
import { type ForestNode, readableNodes } from './read-nodes.ts';
import { readToolEffect, type ToolEffect } from './tool-effects.ts';

/** A call of a tool within a step, and what came of it. */
export interface ToolAct extends ToolEffect {
  /** The message that has the call. */
  readonly node: string;
  readonly call: string;
  readonly tool: string;
  /** The arguments as the model wrote them. */
  readonly input: string;
  readonly at: number;
  readonly result?: { readonly node: string; readonly text: string; readonly isError: boolean };
  /** The thread of the subagent that the call started. */
  readonly subagent?: string;
}

/** What happened from one prompt of a person to the next. */
export interface SessionStep {
  /** The message of the prompt. */
  readonly node: string;
  /** The words of the person, without what the program added. Empty where a session begins without any. */
  readonly prompt: string;
  readonly at: number;
  readonly endedAt: number;
  readonly messages: number;
  readonly acts: readonly ToolAct[];
  /** The last words of the model, and their message. */
  readonly answer?: { readonly node: string; readonly text: string };
  /** How each reply of a model in this step came to be. */
  readonly replies: readonly TakeRecord[];
  /** How many messages a compaction replaced within the step, and by what. */
  readonly compacted?: { readonly messages: number; readonly replacement: string };
}

/** One of the conversations of a session: the main one or that of a subagent. */
export interface SessionLane {
  readonly thread: Thread;
  readonly steps: readonly SessionStep[];
}

/** A session of a coding agent, or any conversation with tools, as people think of it: step by step. */
export interface SessionView {
  readonly main: SessionLane;
  readonly subagents: readonly SessionLane[];
  /** Requests on the side, such as for a title. */
  readonly sideCalls: readonly Thread[];
}

/** How many conversations of a session are read beside the main one. */
const MOST_LANES = 100;

/**
 * Reads the session that a thread belongs to: what a person asked, what the agent did for it in files and shells, which
 * subagents it started, and what each step used.
 *
 * @example
 * const { main } = await readSession(forest, thread.id);
 * for (const { prompt, acts } of main.steps) console.log(prompt, acts.length);
 */
export async function readSession(forest: Forest, id: string): Promise<SessionView> {
  const asked = await forest.threads.get(id);
  const others: Thread[] = [];
  if (asked.group?.startsWith('session:'))
    for await (const thread of allItems((page) => forest.threads.inGroup(asked.group!, page))) {
      if (others.length === MOST_LANES) break;
      if (thread.id !== asked.id) others.push(thread);
    }
  // A subagent is shown as what it is: a lane beside the conversation that started it.
  const main = (asked.part === 'main' ? undefined : others.find(({ part }) => part === 'main')) ?? asked;
  const started = [asked, ...others].filter((thread) => thread !== main && thread.part === 'subagent');
  const lanes = await Promise.all(
    [main, ...started].map(async (thread) => ({ thread, steps: await readSteps(forest, thread) })),
  );
  const [first, ...subagents] = linkSubagents(lanes);
  const sideCalls = others.filter(({ part }) => part === 'side');
  return { main: first!, subagents: subagents.toSorted((a, b) => startOf(a) - startOf(b)), sideCalls };
}

function startOf({ thread, steps }: SessionLane): number {
  return steps[0]?.at ?? thread.createdAt;
}

/** A step while it is read. */
interface OpenStep extends Omit<SessionStep, 'acts' | 'replies'> {
  endedAt: number;
  messages: number;
  answer?: NonNullable<SessionStep['answer']>;
  compacted?: NonNullable<SessionStep['compacted']>;
  readonly acts: ToolAct[];
  readonly replies: TakeRecord[];
}

async function readSteps(forest: Forest, thread: Thread): Promise<SessionStep[]> {
  const nodes = await readableNodes(forest.store, await forest.store.path(thread.head));
  const lineage = await readLineage(forest.store, thread.id);
  const changes = await forest.contextChanges(thread.id);
  const compactions = new Map(changes.flatMap(({ node, compacted }) => (compacted ? [[node, compacted]] : [])));
  const results = readResults(nodes);
  const steps: OpenStep[] = [];
  for (const node of nodes) {
    if (node.role === 'system') continue;
    const prompt = node.role === 'user' ? readPrompt(node.message) : '';
    if (prompt !== '' || steps.length === 0)
      steps.push({ node: node.id, prompt, at: node.at, endedAt: node.at, messages: 0, acts: [], replies: [] });
    const step = steps.at(-1)!;
    step.messages += 1;
    step.endedAt = Math.max(step.endedAt, node.at);
    const compacted = compactions.get(node.id);
    if (compacted) step.compacted = compacted;
    if (node.role === 'assistant') readReply(step, node, selectTakes(node.takes, lineage), results);
  }
  return steps;
}

function readReply(
  step: OpenStep,
  { id: node, at, message }: ForestNode,
  takes: readonly TakeRecord[],
  results: ReadonlyMap<string, NonNullable<ToolAct['result']>>,
): void {
  if (message.text.trim() !== '') step.answer = { node, text: message.text };
  // A message that was recorded and imported has a take of each; only one of them says what it used.
  const reply = takes.findLast(({ usage }) => usage !== undefined) ?? takes.at(-1);
  if (reply) step.replies.push(reply);
  for (const call of message.toolUses) step.acts.push(toAct(call, node, at, results.get(call.id)));
}

function toAct(call: ToolUseBlock, node: string, at: number, result: ToolAct['result']): ToolAct {
  return {
    node,
    call: call.id,
    tool: call.name,
    input: call.rawParameters,
    at,
    ...readToolEffect(call),
    ...(result && { result }),
  };
}

function readResults(nodes: readonly ForestNode[]): Map<string, NonNullable<ToolAct['result']>> {
  const results = new Map<string, NonNullable<ToolAct['result']>>();
  for (const { id, message } of nodes)
    for (const { toolCallId, content, isError } of message.toolResults)
      results.set(toolCallId, { node: id, text: content.map(resultText).join('\n'), isError });
  return results;
}

function resultText(block: ContentBlock): string {
  return block.type === 'text' ? block.text : `[${block.type}]`;
}

/** Links each subagent to the call that started it: by the id that its log names, or by the prompt that the call has. */
function linkSubagents(lanes: readonly SessionLane[]): SessionLane[] {
  const starts = lanes.slice(1).map(({ thread, steps }) => ({
    thread: thread.id,
    startedBy: thread.startedBy,
    prompt: steps[0]?.prompt ?? '',
  }));
  const taken = new Set<string>();
  // A subagent does not start itself, though its own calls may repeat its prompt.
  const findStarted = ({ call, input }: ToolAct, caller: Thread): string | undefined => {
    const isStarted = (one: (typeof starts)[number]) =>
      one.startedBy === undefined
        ? one.prompt !== '' && input.includes(JSON.stringify(one.prompt).slice(1, -1))
        : one.startedBy === call;
    const found = starts.find((one) => one.thread !== caller.id && !taken.has(one.thread) && isStarted(one));
    if (found) taken.add(found.thread);
    return found?.thread;
  };
  return lanes.map(({ thread, steps }) => ({
    thread,
    steps: steps.map((step) => ({
      ...step,
      acts: step.acts.map((act) => {
        const subagent = findStarted(act, thread);
        return subagent === undefined ? act : { ...act, subagent };
      }),
    })),
  }));
}
