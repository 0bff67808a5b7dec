import { expect, test } from 'vitest';
import { markMath, readMath } from './mark-math.ts';

/** The formulas in a text, display ones in brackets. */
function formulas(text: string): string[] {
  return [...markMath(text).matchAll(/(`+)([\uE0D1\uE0D2].*?)\1/g)].map(([, , code]) => {
    const { tex, isDisplay } = readMath(code!)!;
    return isDisplay ? `[${tex}]` : tex;
  });
}

test('mathematics is found in all four ways to write it', () => {
  expect(formulas('Say $a^2$, \\(b_1\\), $$c$$ and \\[d\\].')).toEqual(['a^2', 'b_1', '[c]', '[d]']);
});

test('lines of a formula that look like a list stay in it, and a comment of TeX does not', () => {
  expect(formulas('1. So\n   $$\n   a % note\n   - b\n   $$\n2. Next')).toEqual(['[a - b]']);
  expect(formulas('> \\[\n> x\n> + y\n> \\]')).toEqual(['[x + y]']);
});

test('prices, shell variables and escaped signs are no mathematics', () => {
  const texts = [
    '$5 and $10',
    '$5-$10, US$3',
    '($5)…($6)',
    '**$5** or **$6**',
    '$HOME/bin:$PATH',
    '\\$a\\$',
    'a \\\\(b\\\\)',
  ];
  for (const text of texts) expect(markMath(text)).toBe(text);
});

test('code stays as it was written', () => {
  for (const text of [
    '`$a$`',
    '```sh\necho $a $$b$$\n```',
    '~~~\n\\(a\\)\n~~~',
    '```\nunfinished $a$',
    '- ```\n  $x$\n  ```',
  ])
    expect(markMath(text)).toBe(text);
  expect(formulas('```\n$a$\n```\nand $b$')).toEqual(['b']);
});
