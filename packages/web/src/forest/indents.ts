/** How far a row stands behind the one it belongs to. Written out, so that the classes are found. */
export const INDENTS: readonly string[] = ['pl-3', 'pl-9', 'pl-14'];
