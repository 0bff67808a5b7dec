import type { Node, Take } from '../../api/types.ts';
import { t } from '../../words/words.ts';

/** The take that says most about a message: the last one of a model, else the last one. */
export function mainTake(node: Node): Take | undefined {
  return node.takes.findLast(({ author }) => author === 'model') ?? node.takes.at(-1);
}

const NAMES: Readonly<Record<Node['role'], string>> = {
  user: t('message.you'),
  assistant: t('message.assistant'),
  system: t('message.system'),
  tool: t('message.tool'),
  other: t('message.other'),
};

export function roleName(role: Node['role']): string {
  return NAMES[role];
}

/** The answers on a path whose provider differs from that of the previous answer. */
export function providerChanges(path: readonly Node[]): ReadonlySet<string> {
  const found = new Set<string>();
  let last: string | undefined;
  for (const node of path) {
    const provider = node.role === 'assistant' ? mainTake(node)?.provider : undefined;
    if (provider === undefined) continue;
    if (last !== undefined && provider !== last) found.add(node.id);
    last = provider;
  }
  return found;
}
