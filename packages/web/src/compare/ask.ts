import { api, ok } from '../api/client.ts';
import { type Node, ROOT } from '../api/types.ts';
import { showGeneration } from '../state/live.ts';
import { ensurePath } from '../state/nodes.ts';
import { fittingThread } from '../state/place.ts';
import type { Entry } from './columns.ts';

/** Where a new prompt goes: below what all share, or beside it where that is a prompt itself. */
function promptParent(shared: readonly Node[]): string {
  const last = shared.at(-1);
  if (!last) return ROOT;
  return last.role === 'user' ? last.parent : last.id;
}

/**
 * Writes a prompt once, and lets each model answer it. Without a text they answer the prompt that is there. Gives the
 * columns to show.
 */
export async function askSeveral(
  shared: readonly Node[],
  text: string,
  models: readonly string[],
): Promise<readonly Entry[]> {
  const prompt =
    text.trim() === '' ? await lastPrompt(shared.at(-1)!.id) : await writePrompt(promptParent(shared), text);
  const { node } = prompt;
  await ensurePath(node);
  const entries: Entry[] = [];
  let { thread } = prompt;
  for (const model of models) {
    const generation = await ok(api.generations.$post({ json: { node, model, ...(thread && { thread }) } }));
    // A recorded conversation is forked for the first; the others answer in that fork.
    thread = generation.thread;
    showGeneration(generation);
    entries.push({ kind: 'generation', id: generation.id });
  }
  return entries;
}

/** A message, and the conversation whose system text and tools its answers are asked with. */
interface Prompt {
  readonly node: string;
  readonly thread: string | undefined;
}

async function lastPrompt(node: string): Promise<Prompt> {
  return { node, thread: (await fittingThread(node))?.id };
}

async function writePrompt(parent: string, text: string): Promise<Prompt> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text }] }];
  if (parent === ROOT) {
    const { id, head } = await ok(api.threads.$post({ json: { messages } }));
    return { node: head, thread: id };
  }
  const thread = (await fittingThread(parent))?.id;
  const json = { messages, ...(thread && { thread }) };
  const { id, thread: written } = await ok(api.nodes[':node'].messages.$post({ param: { node: parent }, json }));
  return { node: id, thread: written };
}
