import type { Forest } from '../../forest/forest.ts';
import { everyItem } from '../../forest/pages.ts';
import { type ForestNode, isDamage } from '../../forest/read/read-nodes.ts';
import { everyStep, topOf } from '../../forest/read/walk.ts';
import { ROOT } from '../../model/index.ts';
import type { ExportDamage, ExportOf } from './types.ts';

/** One line of messages, as people read them. */
export interface ExportedConversation {
  readonly head: string;
  readonly title: string;
  readonly nodes: readonly ForestNode[];
}

/**
 * The conversations of a selection: where it branches, one for each end, with what they share in each. One that is
 * damaged is left out of several; where it is the only one, it is an error.
 */
export async function* conversationsOf(
  forest: Forest,
  of: ExportOf,
  onDamaged: (conversation: ExportDamage) => void = () => undefined,
): AsyncGenerator<ExportedConversation> {
  if (of === 'everything') {
    yield* everyConversation(forest, ROOT, onDamaged);
    return;
  }
  if ('below' in of) {
    yield* everyConversation(forest, await forest.resolve(of.below), onDamaged);
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

async function* everyConversation(
  forest: Forest,
  top: string,
  onDamaged: (conversation: ExportDamage) => void,
): AsyncGenerator<ExportedConversation> {
  const titles = new Map<string, string>();
  for await (const { head, title } of everyItem((page) => forest.threads.list(page))) titles.set(head, title);
  for await (const head of everyEnd(forest, top)) {
    const nodes = await forest.path(head).catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      onDamaged({ head, reason: error.message });
    });
    if (nodes) yield { head, title: titles.get(head) ?? '', nodes };
  }
}

/** Where the branches below a node end, whether their texts can be read or not; the node itself where none begins. */
async function* everyEnd({ store }: Forest, top: string): AsyncGenerator<string> {
  const start = await topOf(store, top);
  let isAlone = top !== ROOT && !start.removed;
  for await (const { record, isLeaf } of everyStep(store, start)) {
    isAlone = false;
    if (isLeaf) yield record.id;
  }
  if (isAlone) yield top;
}
