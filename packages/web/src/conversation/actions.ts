import { api, ok } from '../api/client.ts';
import { queries, queryClient } from '../api/queries.ts';
import { type Block, type Generation, type Node, ROOT } from '../api/types.ts';
import { inWords } from '../blocks/in-words.ts';
import { beforeResuming, showGeneration, useLive } from '../state/live.ts';
import { nodeOf, putNodes, refreshNode } from '../state/nodes.ts';
import { goTo, sawLeaf, watch } from '../state/place.ts';
import { useView, wishOf } from '../state/view.ts';
import { toastError } from '../ui/toasts.tsx';

/** What the page asks the server to do with a conversation. Each says itself what went wrong. */

interface Asking {
  readonly n?: number;
  /** Also while the same is being answered. */
  readonly again?: boolean;
}

/** Lets the chosen model answer below a node, and shows it growing. */
async function generate(node: string, { n = 1, again = false }: Asking = {}): Promise<void> {
  await told(async () => {
    const thread = await threadOf(node);
    const generation = await ok(
      api.generations.$post({
        json: {
          node,
          ...wishOf(useView.getState()),
          ...(n > 1 && { n }),
          ...(again && { again }),
          ...(thread !== undefined && { thread }),
        },
      }),
    );
    follow(generation, node, 0);
    goTo(node, { replace: true });
  });
}

function follow(generation: Generation, leaf: string, branch: number): void {
  showGeneration(generation);
  sawLeaf(leaf);
  watch(leaf, { generation: generation.id, branch });
}

/** Another answer in the place of a model's message; below anyone else's, an answer. */
export function answerAgain(node: Node, n = 1): Promise<void> {
  const isAnswer = node.role === 'assistant' && node.parent !== ROOT;
  return generate(isAnswer ? node.parent : node.id, { n, again: true });
}

export interface Message {
  readonly role: 'user' | 'system';
  readonly content: readonly Block[];
}

/** Puts messages below a node, or begins a conversation with them; true when they are stored. */
export async function send(
  parent: string | undefined,
  messages: readonly Message[],
  answers: number,
): Promise<boolean> {
  return told(async () => {
    const json = { messages: messages.map(({ role, content }) => ({ role, content: [...content] })) };
    let head: string;
    if (parent === undefined) {
      const title = inWords(messages.at(-1)!.content, 60);
      ({ head } = await ok(api.threads.$post({ json: { ...json, ...(title !== '' && { title }) } })));
    } else {
      const thread = await threadOf(parent);
      const param = { node: parent };
      const node = await ok(
        api.nodes[':node'].messages.$post({ param, json: { ...json, ...(thread !== undefined && { thread }) } }),
      );
      putNodes([node]);
      head = node.id;
    }
    if (!nodeOf(head)) await refreshNode(head);
    sawLeaf(head);
    goTo(head);
    if (answers > 0) await generate(head, { n: answers });
  });
}

/** A sibling with another text; with `carry`, what follows up to that node comes along. */
export async function edit(node: Node, text: string, options: { readonly carry?: string; readonly answer?: boolean }) {
  return told(async () => {
    const { carry, answer = false } = options;
    const made = await branchOff(node.id, { text, ...(carry !== undefined && { carry }) }, await threadOf(node.id));
    if (answer) await generate(made);
  });
}

/** The messages up to a leaf once more, below a system text that they had not. */
export async function addSystemText(first: Node, leaf: string, text: string): Promise<void> {
  await told(async () => branchOff(ROOT, { text, carry: leaf }, await threadOf(first.id)));
}

type Edit = Parameters<(typeof api.nodes)[':node']['edit']['$post']>[0]['json'];

/** Makes the branch of an edit, lets its conversation end there, and shows it. */
async function branchOff(node: string, json: Edit, thread: string | undefined): Promise<string> {
  const made = await ok(api.nodes[':node'].edit.$post({ param: { node }, json }));
  putNodes([made]);
  if (thread !== undefined) await ok(api.threads[':thread'].$patch({ param: { thread }, json: { head: made.id } }));
  goTo(made.id);
  return made.id;
}

/** Ends what grows; what arrived is kept. */
export async function stop(generation: string): Promise<void> {
  await told(() => ok(api.generations[':generation'].stop.$post({ param: { generation } })));
}

export type Approvals = Readonly<Record<string, 'approve' | { readonly deny: string }>>;

/** Goes on with what failed, was stopped, or waits for a decision; whether it does. */
export function resume(id: string, branch: number, approvals?: Approvals): Promise<boolean> {
  return told(async () => {
    await beforeResuming(id);
    const json = { ...(approvals && { approvals: { ...approvals } }) };
    const generation = await ok(api.generations[':generation'].resume.$post({ param: { generation: id }, json }));
    showGeneration(generation, true);
    const leaf = useLive.getState().all.get(id)!.branches[branch]!.head;
    follow(generation, leaf, branch);
    goTo(leaf, { replace: true });
  });
}

/** The conversation that new messages below a node belong to. */
async function threadOf(node: string): Promise<string | undefined> {
  const { items } = await queryClient.fetchQuery(queries.threadsOf(node));
  const newest = [...items].filter(({ deleted }) => !deleted).sort((a, b) => b.updatedAt - a.updatedAt);
  return (newest.find(({ head }) => head === node) ?? newest[0])?.id;
}

/** Says what went wrong; whether it went well. */
export async function told(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toastError(error);
    return false;
  }
}
