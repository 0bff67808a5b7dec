/** Characters that take two columns: East Asian wide ones and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;

/** Made when it is needed: help and version do without. */
let segmenter: Intl.Segmenter | undefined;

function graphemesIn(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesIn(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  if (WIDE.test(segment)) return 2;
  return /^[\p{M}\p{Cf}\p{Cc}]*$/u.test(segment) ? 0 : 1;
}

/** The beginning of a text that fits into so many columns, with an ellipsis if anything is left out. */
export function cutToWidth(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  let width = 0;
  let cut = '';
  for (const { segment } of graphemesIn(text)) {
    width += segmentWidth(segment);
    if (width > columns - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Fills a column of a table with spaces, so that the next one begins at the same place in each line. */
export function columnOf(texts: readonly string[]): (text: string) => string {
  const width = texts.reduce((longest, text) => Math.max(longest, textWidth(text)), 0);
  return (text) => text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** The columns of the terminal; a wide line where the output is no terminal, so that programs get all of it. */
export function outputColumns(): number {
  return process.stdout.isTTY ? Math.max(40, process.stdout.columns || 80) : 160;
}
