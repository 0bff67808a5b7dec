import { t } from '../words/words.ts';
import { type Command, useCommands } from './registry.ts';

/** How long the first key of a sequence waits for the second, in milliseconds. */
const SECOND_KEY_MS = 700;

/** Runs commands by their keys, everywhere on the page. Returns a function that stops listening. */
export function listenToKeys(): () => void {
  /** A key that may begin a sequence. Its own command runs if no second key follows. */
  let first: { readonly key: string; readonly timer: ReturnType<typeof setTimeout>; alone(): void } | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyName(event);
    if (key === undefined) return;
    const allowed = allowedCommands(key, event.target);
    const named = (name: string) => allowed.find(({ keys }) => keys?.includes(name));
    const before = first;
    first = undefined;
    clearTimeout(before?.timer);
    const both = before && named(`${before.key} ${key}`);
    if (before && !both) before.alone();
    const found = both ?? named(key);
    if (found) event.preventDefault();
    if (!both && allowed.some(({ keys }) => keys?.some((each) => each.startsWith(`${key} `)))) {
      const alone = () => {
        first = undefined;
        found?.run();
      };
      first = { key, alone, timer: setTimeout(alone, SECOND_KEY_MS) };
    } else found?.run();
  };
  window.addEventListener('keydown', onKey);
  return () => {
    clearTimeout(first?.timer);
    window.removeEventListener('keydown', onKey);
  };
}

/** The commands that a key may run, the latest registered first. */
function allowedCommands(key: string, target: EventTarget | null): readonly Command[] {
  const isTyping = isInField(target);
  // A popover that the browser has closed is in the document until the page hears of it.
  const isInDialog = [
    ...document.querySelectorAll('[role="dialog"], [role="alertdialog"], dialog[open], [role="menu"]'),
  ].some((one) => one.checkVisibility());
  // Escape closes the dialog, and nothing behind it.
  if (isInDialog && key === 'Escape') return [];
  const commands = [...useCommands.getState().commands.values()].reverse();
  return commands.filter(
    ({ whileTyping }) => (!isTyping || whileTyping || /^(Ctrl|Alt)\+/.test(key)) && (!isInDialog || whileTyping),
  );
}

function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

type KeyPress = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The name of a pressed key as commands spell it. */
export function keyName(event: KeyPress): string | undefined {
  const { key } = event;
  if (['Control', 'Shift', 'Alt', 'Meta'].includes(key)) return undefined;
  const plain = key === ' ' ? 'Space' : key;
  const isLetter = plain.length === 1;
  const shift = event.shiftKey && !isLetter ? 'Shift+' : '';
  const modified = event.ctrlKey || event.metaKey;
  const shiftLetter = event.shiftKey && isLetter && modified ? 'Shift+' : '';
  return `${modified ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${shiftLetter}${modified && isLetter ? plain.toLowerCase() : plain}`;
}

const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** A key as the page displays it. */
export function keyLabel(keys: string): string {
  const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
  return keys
    .split(' ')
    .map((key) =>
      key
        .split('+')
        .map((part) => (part === 'Ctrl' && isMac ? '⌘' : (SYMBOLS[part] ?? part)))
        .map((part, index) => (index > 0 && part.length === 1 ? part.toUpperCase() : part))
        .join('+'),
    )
    .join(` ${t('keys.then')} `);
}

/** A command in the list of keys. */
export interface KeyRow {
  readonly id: string;
  readonly title: string;
  readonly keys: readonly string[];
}

/** Merges rows that differ only in a digit: "Answer again 2 times" … 9 become "Answer again 2–9 times". */
export function foldDigits(rows: readonly KeyRow[]): readonly KeyRow[] {
  const groups = new Map<string, KeyRow[]>();
  for (const row of rows) {
    const shape = `${row.keys.join(',')}|${row.title}`.replace(/\d/g, '#');
    groups.set(shape, [...(groups.get(shape) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const [first, last] = [group[0]!, group.at(-1)!];
    if (group.length === 1) return first;
    const from = firstDigit(first);
    const upTo = firstDigit(last);
    const fold = (text: string) => text.replace(from, `${from}–${upTo}`);
    return { id: first.id, title: fold(first.title), keys: first.keys.map(fold) };
  });
}

function firstDigit({ keys }: KeyRow): string {
  return keys.join(' ').match(/\d/)?.[0] ?? '';
}
