import { t } from '../words/words.ts';

/** The addresses of conversations and messages. Ids need no escaping in an address. */

/** What an address names: a conversation, a message of it, or a message alone. */
export interface ConversationAddress {
  readonly thread?: string;
  readonly node?: string;
}

/** The address of the session that a conversation belongs to. */
export function toSessionAddress(thread: string): string {
  return `/s/${thread}`;
}

export function toAddress(thread: string | undefined, node?: string): string {
  if (thread === undefined) return `/c/${node ?? ''}`;
  return node === undefined ? `/t/${thread}` : `/t/${thread}/${node}`;
}

/** Reads an address; undefined for one of another screen. */
export function readAddress(path: string): ConversationAddress | undefined {
  const [, screen, first, second] = path.split('/');
  if (!first) return undefined;
  if (screen === 'c') return { node: first };
  return screen === 't' ? { thread: decodeURIComponent(first), ...(second && { node: second }) } : undefined;
}

const SCREENS: Readonly<Record<string, string>> = {
  '': t('state.forest'),
  new: t('state.new-conversation'),
  c: t('state.conversation'),
  t: t('state.conversation'),
  s: t('state.session'),
  graph: t('state.graph'),
  compare: t('state.compare'),
  recordings: t('state.recordings'),
  usage: t('state.usage'),
  settings: t('state.settings'),
};

/** The title of the browser tab on a screen. */
export function screenTitle(path: string, search: string, thread: string | undefined): string {
  const screen = path.split('/')[1] ?? '';
  const words = new URLSearchParams(search).get('q')?.trim();
  const name = (screen === 't' && thread) || (screen === '' && words && `“${words}”`) || SCREENS[screen];
  return name ? `${name} · Skein` : 'Skein';
}
