import { api, ok } from '../api/client.ts';
import { type Node, ROOT } from '../api/types.ts';
import { showGeneration } from '../state/live.ts';
import { ensurePath } from '../state/nodes.ts';
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
  const node = text.trim() === '' ? shared.at(-1)!.id : await writePrompt(promptParent(shared), text);
  await ensurePath(node);
  const asked = await Promise.all(models.map((model) => ok(api.generations.$post({ json: { node, model } }))));
  for (const generation of asked) showGeneration(generation);
  return asked.map(({ id }) => ({ kind: 'generation', id }));
}

async function writePrompt(parent: string, text: string): Promise<string> {
  const messages = [{ role: 'user' as const, content: [{ type: 'text', text }] }];
  // What begins anew is a conversation of its own, or no list would show it.
  if (parent === ROOT) return (await ok(api.threads.$post({ json: { messages } }))).head;
  return (await ok(api.nodes[':node'].messages.$post({ param: { node: parent }, json: { messages } }))).id;
}
