import { api, unwrap } from '../api/client.ts';
import { putThread } from '../api/queries.ts';
import { refreshThread } from '../api/threads.ts';
import { type Block, type Generation, type Node, ROOT } from '../api/types.ts';
import { summarizeBlocks } from '../blocks/summary.ts';
import { rememberLastEvent, showGeneration, useLive } from '../state/live.ts';
import { getNode, putNodes, refreshNode } from '../state/nodes.ts';
import { currentThreadId, goTo, rememberLeaf, watchBranch } from '../state/place.ts';
import { chooseSettings, startSettings, toRequestOptions, useView } from '../state/view.ts';
import { toastError } from '../ui/toasts.tsx';
import { moveDraft } from './composer/draft.ts';
import { noteAsked } from './screen-state.ts';

/**
 * Actions on the current conversation. Each one reports its own errors. Writing into a recorded conversation forks it; the
 * fork is shown from then on.
 */

interface GenerateOptions {
  readonly n?: number;
  /** Other models than the chosen one: each gives its answers. */
  readonly models?: readonly string[];
  /** Generate even if the same node is being answered already. */
  readonly again?: boolean;
}

/** Generates answers below a node, and shows the first one live. If that is refused, the message says so. */
async function generate(
  node: string,
  thread: string | undefined,
  { n = 1, again = false, models = [] }: GenerateOptions = {},
): Promise<void> {
  noteAsked(node, { isAsking: true });
  let owner = thread;
  try {
    const [first, ...others] = models.length === 0 ? [undefined] : models;
    const ask = async (model: string | undefined, isAgain: boolean) =>
      unwrap(
        api.generations.$post({
          json: {
            node,
            ...toRequestOptions(useView.getState(), owner),
            ...(model !== undefined && { model }),
            ...(n > 1 && { n }),
            ...(isAgain && { again: true }),
          },
        }),
      );
    const generation = await ask(first, again);
    owner = generation.thread ?? thread;
    if (thread !== undefined && owner !== undefined) moveDraft(thread, owner);
    follow(generation, node, 0);
    noteAsked(node, undefined);
    for (const model of others) showGeneration(await ask(model, true));
  } catch (error) {
    noteAsked(node, { isAsking: false, error: error instanceof Error ? error.message : String(error) });
    if (again || getNode(node)?.role !== 'user') toastError(error);
  }
}

function follow(generation: Generation, leaf: string, branch: number): void {
  const { id, thread } = generation;
  showGeneration(generation);
  rememberLeaf(thread, leaf);
  watchBranch(thread, leaf, { generation: id, branch });
  goTo(leaf, { replace: true, ...(thread !== undefined && { thread }) });
}

/** Asks for what follows a message. After open calls, the tools of this server run and other calls wait for their results. */
export function answer(node: Node): Promise<void> {
  return generate(node.id, currentThreadId());
}

/** Generates a sibling of a model's message, or an answer to any other message. */
export function answerAgain(node: Node, n = 1): Promise<void> {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  return generate(isAnswer ? node.parent : node.id, currentThreadId(), { n, again: true });
}

export interface NewMessage {
  readonly role: 'user' | 'system';
  readonly content: readonly Block[];
}

/** How a message is sent: the number of answers of each model, and the models if not the chosen one. */
export interface SendPlan {
  readonly answers: number;
  readonly models?: readonly string[];
}

/** Appends messages below a node, or begins a conversation with them; true if they were stored. */
export async function send(
  parent: string | undefined,
  messages: readonly NewMessage[],
  { answers, models = [] }: SendPlan,
): Promise<boolean> {
  return reportErrors(async () => {
    const { head, thread } = parent === undefined ? await begin(messages) : await append(parent, messages);
    if (answers > 0) noteAsked(head, { isAsking: true });
    rememberLeaf(thread, head);
    goTo(head, { ...(thread !== undefined && { thread }) });
    // The message is stored: whether it is answered is told below it.
    if (answers > 0) void generate(head, thread, { n: answers, models });
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
  // Even if the node is loaded already, it has a new take.
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

/** Loads a new fork, so that it is in the list before it is shown. What is written and not sent yet goes along. */
async function showFork(thread: string | undefined, written: string | undefined): Promise<void> {
  if (written === undefined || written === thread) return;
  await refreshThread(written);
  if (thread !== undefined) moveDraft(thread, written);
}

/** Creates a sibling with another text; with `carry`, copies the messages up to that node below it. */
export async function edit(node: Node, text: string, options: { readonly carry?: string; readonly answer?: boolean }) {
  return reportErrors(async () => {
    const { carry, answer = false } = options;
    const { head, thread } = await branchOff(node.id, { text, ...(carry !== undefined && { carry }) });
    if (answer) await generate(head, thread);
  });
}

/** Copies the messages up to a leaf below a new system text. */
export function addSystemText(leaf: string, text: string): Promise<boolean> {
  return reportErrors(() => branchOff(ROOT, { text, carry: leaf }));
}

type Edit = Parameters<(typeof api.nodes)[':node']['edit']['$post']>[0]['json'];

/** Creates the branch of an edit, makes it the head of its conversation, and shows it. */
async function branchOff(node: string, json: Edit): Promise<WriteResult> {
  const here = currentThreadId();
  const made = await unwrap(
    api.nodes[':node'].edit.$post({ param: { node }, json: { ...json, ...(here !== undefined && { thread: here }) } }),
  );
  putNodes([made]);
  const { id: head, thread } = made;
  if (thread !== undefined) await refreshThread(thread);
  if (here !== undefined && thread !== undefined) moveDraft(here, thread);
  goTo(head, { ...(thread !== undefined && { thread }) });
  return { head, thread };
}

/** Stops a generation; what has arrived is kept. */
export async function stop(generation: string): Promise<void> {
  await reportErrors(() => unwrap(api.generations[':generation'].stop.$post({ param: { generation } })));
}

export type Approvals = Readonly<Record<string, 'approve' | { readonly deny: string } | { readonly result: string }>>;

/** Resumes a branch that failed, was stopped, or waits for a decision, and shows it; true if it is running again. */
export function resume(id: string, branch: number, approvals?: Approvals): Promise<boolean> {
  return reportErrors(async () => {
    const generation = await resumeGeneration(id, approvals);
    const leaf = useLive.getState().all.get(id)!.branches[branch]!.head;
    follow(generation, leaf, branch);
  });
}

/** The same, on a screen that shows the generation already. */
export function resumeInPlace(id: string, approvals?: Approvals): Promise<boolean> {
  return reportErrors(() => resumeGeneration(id, approvals));
}

async function resumeGeneration(id: string, approvals?: Approvals): Promise<Generation> {
  await rememberLastEvent(id);
  const json = { ...(approvals && { approvals: { ...approvals } }) };
  const generation = await unwrap(api.generations[':generation'].resume.$post({ param: { generation: id }, json }));
  showGeneration(generation, true);
  return generation;
}

/** Runs an action and shows its error as a toast; true if there was none. */
export async function reportErrors(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
