/** Keys of screens that may not be on screen when help is asked for, so that the sheet is whole everywhere. */
export const FIXED_KEYS: readonly { readonly id: string; readonly title: string; readonly keys: readonly string[] }[] =
  [
    { id: 'siblings', title: 'Previous or next sibling', keys: ['Alt+ArrowUp', 'Alt+ArrowDown', 'k', 'j'] },
    { id: 'parent', title: 'Parent', keys: ['Alt+ArrowLeft', 'h'] },
    { id: 'child', title: 'Last visited child', keys: ['Alt+ArrowRight', 'l'] },
    { id: 'forks', title: 'Previous or next fork', keys: ['[', ']'] },
    { id: 'send', title: 'Send and generate', keys: ['Ctrl+Enter'] },
    { id: 'send-only', title: 'Send only', keys: ['Ctrl+Shift+Enter'] },
    { id: 'generate', title: 'Generate siblings; with a digit, so many', keys: ['g', 'g 3'] },
    { id: 'edit', title: 'Edit as a branch', keys: ['e'] },
    { id: 'bookmark', title: 'Bookmark', keys: ['b'] },
    { id: 'compare', title: 'Compare what is marked', keys: ['c'] },
    { id: 'tree', title: 'Tree', keys: ['t'] },
    { id: 'raw', title: 'Raw text', keys: ['r'] },
    { id: 'fold', title: 'Fold or unfold', keys: ['Space'] },
    { id: 'delete', title: 'Delete a branch', keys: ['x'] },
    { id: 'stop', title: 'Stop the stream, then close', keys: ['Escape'] },
  ];
