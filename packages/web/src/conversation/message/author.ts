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

/**
 * The answers on a path that go on where the same model left off, with nothing but results of tools in between. The empty id
 * stands for the answer of `growing` that is being written below the path.
 */
export function continuedAnswers(path: readonly Node[], growing?: string): ReadonlySet<string> {
  const found = new Set<string>();
  let last: string | undefined;
  for (const node of path) {
    if (node.content.length > 0 && node.content.every(({ type }) => type === 'tool-result')) continue;
    const take = node.role === 'assistant' ? mainTake(node) : undefined;
    const name = take?.model === undefined ? undefined : `${take.provider}/${take.model}`;
    if (name !== undefined && name === last) found.add(node.id);
    last = name;
  }
  if (last !== undefined && growing === last) found.add('');
  return found;
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
