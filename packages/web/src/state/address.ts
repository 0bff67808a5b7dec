/** The addresses of conversations and their messages. Ids of both may stand in an address as they are. */

/** What an address names: a conversation, a message of it, or a message alone. */
export interface AddressedPlace {
  readonly thread?: string;
  readonly node?: string;
}

export function addressOf(thread: string | undefined, node?: string): string {
  if (thread === undefined) return `/c/${node ?? ''}`;
  return node === undefined ? `/t/${thread}` : `/t/${thread}/${node}`;
}

/** Undefined for an address of another screen. */
export function placeAt(path: string): AddressedPlace | undefined {
  const [, screen, first, second] = path.split('/');
  if (!first) return undefined;
  if (screen === 'c') return { node: first };
  return screen === 't' ? { thread: decodeURIComponent(first), ...(second && { node: second }) } : undefined;
}
