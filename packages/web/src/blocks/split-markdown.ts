import { marked } from 'marked';

/** A reference or a footnote that is defined anywhere has to stay with the text that uses it. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;

/**
 * Markdown cut into its top-level blocks, which joined are the text again. While text streams only the last one changes,
 * so only that one is drawn again.
 */
export function splitMarkdown(text: string): readonly string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  for (const { type, raw } of marked.lexer(text)) {
    if (type === 'space' && blocks.length > 0) blocks[blocks.length - 1] += raw;
    else blocks.push(raw);
  }
  return blocks;
}
