type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** The name of a pressed key as commands write it. */
export function keyName(event: Pressed): string | undefined {
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
