import { useCommands } from './registry.ts';

/** How long the first key of two waits for the second, in milliseconds. */
const SECOND_KEY_MS = 1200;

/** Runs commands by their keys, everywhere on the page. Gives back how to stop. */
export function listenToKeys(): () => void {
  let first: { readonly key: string; readonly at: number } | undefined;
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = keyName(event);
    if (key === undefined) return;
    const before = first && event.timeStamp - first.at < SECOND_KEY_MS ? `${first.key} ` : '';
    first = undefined;
    const isTyping = isInField(event.target);
    const isInDialog = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
    const commands = [...useCommands.getState().commands.values()].reverse();
    const allowed = commands.filter(
      ({ whileTyping }) => (!isTyping || whileTyping || /^(Ctrl|Alt)\+/.test(key)) && (!isInDialog || whileTyping),
    );
    const found =
      allowed.find(({ keys }) => keys?.includes(before + key)) ?? allowed.find(({ keys }) => keys?.includes(key));
    if (found) {
      event.preventDefault();
      found.run();
    }
    if (allowed.some(({ keys }) => keys?.some((each) => each.startsWith(`${key} `))))
      first = { key, at: event.timeStamp };
  };
  window.addEventListener('keydown', onKey);
  return () => window.removeEventListener('keydown', onKey);
}

/** The name of a pressed key as commands write it. */
function keyName(event: KeyboardEvent): string | undefined {
  const { key } = event;
  if (['Control', 'Shift', 'Alt', 'Meta'].includes(key)) return undefined;
  const plain = key === ' ' ? 'Space' : key;
  const isLetter = plain.length === 1;
  const shift = event.shiftKey && !isLetter ? 'Shift+' : '';
  const modified = event.ctrlKey || event.metaKey;
  const shiftLetter = event.shiftKey && isLetter && modified ? 'Shift+' : '';
  return `${modified ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${shift}${shiftLetter}${modified && isLetter ? plain.toLowerCase() : plain}`;
}

function isInField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const SYMBOLS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
};

/** A key as it is shown to the reader. */
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
    .join(' then ');
}
