import { everyItem } from '../../forest/pages.ts';
import type { Forest, ForestNode } from '../../forest/types.ts';
import { ROOT } from '../../model/index.ts';
import type { ExportOf } from './types.ts';

/** One line of messages, as people read them. */
export interface ExportedConversation {
  readonly head: string;
  readonly title: string;
  readonly nodes: readonly ForestNode[];
}

/** The conversations of a selection: where it branches, one for each end, with what they share in each. */
export async function* conversationsOf(forest: Forest, of: ExportOf): AsyncGenerator<ExportedConversation> {
  if (of === 'everything') {
    yield* everyConversation(forest, ROOT);
    return;
  }
  if ('below' in of) {
    yield* everyConversation(forest, await forest.resolve(of.below));
    return;
  }
  if ('thread' in of) {
    const { head, title } = await forest.threads.get(of.thread);
    yield { head, title, nodes: await forest.path(head) };
    return;
  }
  if ('path' in of) {
    const nodes = await forest.path(of.path);
    yield { head: nodes.at(-1)?.id ?? ROOT, title: '', nodes };
    return;
  }
  const node = await forest.node(of.node);
  yield { head: node.id, title: '', nodes: [node] };
}

async function* everyConversation(forest: Forest, top: string): AsyncGenerator<ExportedConversation> {
  const titles = new Map<string, string>();
  for await (const { head, title } of everyItem((page) => forest.threads.list(page))) titles.set(head, title);
  for await (const { id } of everyItem((page) => forest.leaves(top, page)))
    yield { head: id, title: titles.get(id) ?? '', nodes: await forest.path(id) };
}
