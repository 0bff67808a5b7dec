/** How deep arrays and objects may nest. Deeper text is an error, so that no reader can overflow the stack. */
export const MAX_DEPTH = 512;

/** How long one JSON text may be, in UTF-16 code units. */
export const MAX_LENGTH = 256 * 1024 * 1024;
