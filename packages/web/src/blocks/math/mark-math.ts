/**
 * Finds mathematics in Markdown and hides it in code spans, which every Markdown reader leaves alone: `$…$`, `$$…$$`, `\(…\)`
 * and `\[…\]`. The first character of such a span says what it is. Code stays as it is, and so do prices: a dollar sign opens
 * a formula only before and closes it only after a visible character, and none closes before a digit or a letter.
 */
export function markMath(text: string): string {
  if (!/\$|\\[([]/.test(text)) return text;
  return text.replace(PARTS, (whole, ...groups) => {
    const { display, brackets, parentheses, dollars } = groups.at(-1) as Record<string, string | undefined>;
    const block = display ?? brackets;
    if (block !== undefined) return toSpan(DISPLAY, block);
    const inline = parentheses ?? dollars;
    return inline === undefined ? whole : toSpan(INLINE, inline);
  });
}

/** The formula in a code span that `markMath` made; undefined for ordinary code. */
export function readMath(code: string): { readonly tex: string; readonly isDisplay: boolean } | undefined {
  if (!code.startsWith(DISPLAY) && !code.startsWith(INLINE)) return undefined;
  return { tex: code.slice(1, -1).trim(), isDisplay: code.startsWith(DISPLAY) };
}

/** Characters of the private use area, which stand for nothing in a text. */
const DISPLAY = '\uE0D1';
const INLINE = '\uE0D2';

const FENCE =
  /(?<=^|\n)(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?<fence>`{3,}|~{3,})[^\n]*(?:\n(?:[\s\S]*?\n)??[ \t>]*\k<fence>[`~]*[ \t]*(?=\n|$)|[\s\S]*$)/;
const CODE = /(?<ticks>`+)(?!`)(?:(?!\n[ \t]*\n)[\s\S])*?(?<!`)\k<ticks>(?!`)/;
const ESCAPE = /\\[\\$]/;
const BRACKETS = /\\\[(?<brackets>[\s\S]{1,10000}?)\\\]/;
const PARENTHESES = /\\\((?<parentheses>(?:(?!\n[ \t]*\n)[\s\S]){1,2000}?)\\\)/;
const DOUBLE = /\$\$(?!\$)(?<display>[\s\S]{1,10000}?)\$\$/;
const SINGLE = /(?<![$\w])\$(?![\s$])(?<dollars>(?:\\[^\n]|[^$\\`\n]){0,2000}?[^$\\`\s])\$(?![$\w])/;

const PARTS = new RegExp(
  [FENCE, CODE, BRACKETS, PARENTHESES, ESCAPE, DOUBLE, SINGLE].map(({ source }) => source).join('|'),
  'g',
);

/** In one line: a line that begins with a minus would begin a list. What is behind a % is a comment of TeX. */
function toSpan(kind: string, tex: string): string {
  const line = tex
    .replace(/(?<!\\)%[^\n]*/g, '')
    .replace(/\s*\n[\s>]*/g, ' ')
    .trim();
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${kind}${line}${kind}${ticks}`;
}
