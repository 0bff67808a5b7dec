/**
 * The words of a Markdown text without its marks, for previews in one line: no `**`, `#` or table rules, no dollar signs around
 * formulas, links by their text. It reads loosely, because a preview may be cut anywhere.
 */
export function plainWords(text: string): string {
  return withoutMathMarks(text)
    .replace(/^[ \t]*(?:```|~~~)[^\n]*$/gm, '')
    .replace(/^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t]*(?::?-{2,}:?)?[ \t]*$/gm, '')
    .replace(/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)/gm, '')
    .replace(/^[ \t]*(?:[-*_][ \t]*){3,}$/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/^[ \t]*\||\|[ \t]*$/gm, '')
    .replace(/[ \t]\|[ \t]/g, ' · ')
    .replace(/(\*\*|__|~~)(?=\S)([\s\S]*?\S)\1/g, '$2')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]*\S)\*(?![\w*])/g, '$1')
    .replace(/(?<!\w)_(?=\S)([^_\n]*\S)_(?!\w)/g, '$1')
    .replace(/`+([^`\n]+)`+/g, '$1')
    .replace(/\*\*|~~/g, '');
}

/**
 * The words of a Markdown text that was put into one line before: headings, lists, tables and fences also begin inside the line
 * there. What was an item or a cell is set apart by a dot.
 */
export function plainLine(text: string): string {
  return plainWords(text.replace(/(?:```|~~~)\w*(?=\s|$)/g, ' ').replace(/!?\[([^\]]*)\]\([^)]*$/, '$1'))
    .replace(/(^|\s)#{1,6}\s+/g, '$1')
    .replace(/(^|\s)[-*]\s+/g, '$1· ')
    .replace(/\|[\s:|-]*\|?/g, ' · ')
    .replace(/([:;,.!?…]|^)(?:\s*·)+\s*/g, '$1 ')
    .replace(/(?:\s*·){2,}/g, ' ·')
    .replace(/(?:\s*·\s*)+$/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A formula stays as it was written; prices and variables of a shell keep their sign. */
function withoutMathMarks(text: string): string {
  if (!/\$|\\[([]/.test(text)) return text;
  return (
    text
      .replace(/\\\[\s*([\s\S]+?)\s*\\\]|\\\(\s*([\s\S]+?)\s*\\\)/g, (_, block, inline) => block ?? inline)
      .replace(/\$\$\s*([^$]+?)\s*\$\$/g, '$1')
      .replace(/(?<![$\w\\])\$(?![\s$])((?:\\[^\n]|[^$\\`\n])*?[^$\\`\s])\$(?![$\w])/g, '$1')
      // One that was cut is known by what only TeX has.
      .replace(/(?<![$\w\\])\${1,2}(?=[^$\s]*(?:\^|_\{|\\[a-z])[^$]*$)|\\[([](?=[^$]*…$)/, '')
  );
}
