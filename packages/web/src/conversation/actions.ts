import { api, unwrap } from '../api/client.ts';
import { putThread } from '../api/queries.ts';
import { refreshThread } from '../api/threads.ts';
import { type Block, type Generation, type Node, ROOT } from '../api/types.ts';
import { summarizeBlocks } from '../blocks/summary.ts';
import { rememberLastEvent, showGeneration, useLive } from '../state/live.ts';
import { putNodes, refreshNode } from '../state/nodes.ts';
import { currentThreadId, goTo, rememberLeaf, watchBranch } from '../state/place.ts';
import { chooseSettings, startSettings, toRequestOptions, useView } from '../state/view.ts';
import { toastError } from '../ui/toasts.tsx';

/**
 * What the page asks the server to do with the conversation on screen. Each says itself what went wrong. What is written
 * into a recorded conversation becomes a fork of it, which is shown from then on.
 */

interface GenerateOptions {
  readonly n?: number;
  /** Also while the same is being answered. */
  readonly again?: boolean;
}

/** Lets the chosen model answer below a node, and shows it growing. */
async function generate(
  node: string,
  thread: string | undefined,
  { n = 1, again = false }: GenerateOptions = {},
): Promise<void> {
  await reportErrors(async () => {
    const generation = await unwrap(
      api.generations.$post({
        json: {
          node,
          ...toRequestOptions(useView.getState(), thread),
          ...(n > 1 && { n }),
          ...(again && { again }),
        },
      }),
    );
    follow(generation, node, 0);
  });
}

function follow(generation: Generation, leaf: string, branch: number): void {
  const { id, thread } = generation;
  showGeneration(generation);
  rememberLeaf(thread, leaf);
  watchBranch(thread, leaf, { generation: id, branch });
  goTo(leaf, { replace: true, ...(thread !== undefined && { thread }) });
}

/** Goes on behind a message whose calls are open: what this server can run is run, the rest waits for its results. */
export function continueCalls(node: Node): Promise<void> {
  return generate(node.id, currentThreadId());
}

/** Another answer in the place of a model's message; below anyone else's, an answer. */
export function answerAgain(node: Node, n = 1): Promise<void> {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  return generate(isAnswer ? node.parent : node.id, currentThreadId(), { n, again: true });
}

export interface NewMessage {
  readonly role: 'user' | 'system';
  readonly content: readonly Block[];
}

/** Puts messages below a node, or begins a conversation with them; true when they are stored. */
export async function send(
  parent: string | undefined,
  messages: readonly NewMessage[],
  answers: number,
): Promise<boolean> {
  return reportErrors(async () => {
    const { head, thread } = parent === undefined ? await begin(messages) : await append(parent, messages);
    rememberLeaf(thread, head);
    goTo(head, { ...(thread !== undefined && { thread }) });
    if (answers > 0) await generate(head, thread, { n: answers });
  });
}

interface WriteResult {
  readonly head: string;
  readonly thread: string | undefined;
}

function toBody(messages: readonly NewMessage[]) {
  return { messages: messages.map(({ role, content }) => ({ role, content: [...content] })) };
}

async function begin(messages: readonly NewMessage[]): Promise<WriteResult> {
  const title = summarizeBlocks(messages.at(-1)!.content, 60);
  const thread = await unwrap(api.threads.$post({ json: { ...toBody(messages), ...(title !== '' && { title }) } }));
  putThread(thread);
  chooseSettings(thread.id, startSettings(useView.getState()));
  // Also where it is known: it has one more take.
  await refreshNode(thread.head);
  return { head: thread.head, thread: thread.id };
}

async function append(parent: string, messages: readonly NewMessage[]): Promise<WriteResult> {
  const thread = currentThreadId();
  const param = { node: parent };
  const json = { ...toBody(messages), ...(thread !== undefined && { thread }) };
  const written = await unwrap(api.nodes[':node'].messages.$post({ param, json }));
  putNodes([written]);
  await showFork(thread, written.thread);
  return { head: written.id, thread: written.thread };
}

/** A fork that was just made stands in the list before it is shown. */
async function showFork(thread: string | undefined, written: string | undefined): Promise<void> {
  if (written !== undefined && written !== thread) await refreshThread(written);
}

/** A sibling with another text; with `carry`, what follows up to that node comes along. */
export async function edit(node: Node, text: string, options: { readonly carry?: string; readonly answer?: boolean }) {
  return reportErrors(async () => {
    const { carry, answer = false } = options;
    const { head, thread } = await branchOff(node.id, { text, ...(carry !== undefined && { carry }) });
    if (answer) await generate(head, thread);
  });
}

/** The messages up to a leaf once more, below a system text that they had not. */
export async function addSystemText(leaf: string, text: string): Promise<void> {
  await reportErrors(() => branchOff(ROOT, { text, carry: leaf }));
}

type Edit = Parameters<(typeof api.nodes)[':node']['edit']['$post']>[0]['json'];

/** Makes the branch of an edit, lets its conversation end there, and shows it. */
async function branchOff(node: string, json: Edit): Promise<WriteResult> {
  const here = currentThreadId();
  const made = await unwrap(
    api.nodes[':node'].edit.$post({ param: { node }, json: { ...json, ...(here !== undefined && { thread: here }) } }),
  );
  putNodes([made]);
  const { id: head, thread } = made;
  if (thread !== undefined) await refreshThread(thread);
  goTo(head, { ...(thread !== undefined && { thread }) });
  return { head, thread };
}

/** Ends what grows; what arrived is kept. */
export async function stop(generation: string): Promise<void> {
  await reportErrors(() => unwrap(api.generations[':generation'].stop.$post({ param: { generation } })));
}

export type Approvals = Readonly<Record<string, 'approve' | { readonly deny: string } | { readonly result: string }>>;

/** Goes on with what failed, was stopped, or waits for a decision; whether it does. */
export function resume(id: string, branch: number, approvals?: Approvals): Promise<boolean> {
  return reportErrors(async () => {
    await rememberLastEvent(id);
    const json = { ...(approvals && { approvals: { ...approvals } }) };
    const generation = await unwrap(api.generations[':generation'].resume.$post({ param: { generation: id }, json }));
    showGeneration(generation, true);
    const leaf = useLive.getState().all.get(id)!.branches[branch]!.head;
    follow(generation, leaf, branch);
  });
}

/** Says what went wrong; whether it went well. */
export async function reportErrors(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
