import type { Node, Take } from '../../api/types.ts';

/** The take that tells most of a message: that of a model, else the last. */
export function mainTake(node: Node): Take | undefined {
  return node.takes.findLast(({ author }) => author === 'model') ?? node.takes.at(-1);
}

const NAMES: Readonly<Record<Node['role'], string>> = {
  user: 'You',
  assistant: 'Assistant',
  system: 'System',
  tool: 'Tool',
  other: 'Other',
};

export function roleName(role: Node['role']): string {
  return NAMES[role];
}

/** The colour of a role's name. */
export const ROLE_COLORS: Readonly<Record<Node['role'], string>> = {
  user: 'text-user',
  assistant: 'text-assistant',
  system: 'text-system',
  tool: 'text-tool',
  other: 'text-soft',
};

/** Written out, so that the classes are found. */
export const PROVIDER_COLORS = {
  anthropic: 'text-anthropic',
  openai: 'text-openai',
  google: 'text-google',
  provider: 'text-provider',
} as const;

/** The answers on a path that came from another provider than the answer before them. */
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
