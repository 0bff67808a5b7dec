import { expect, test } from 'vitest';
import { plainLine, plainWords } from './plain-words.ts';

test('a preview shows words and no marks of Markdown', () => {
  const words = (text: string) => plainWords(text).replace(/\s+/g, ' ').trim();
  expect(words('# Title\n\n**Bold** and *slanted*, `code`, [a link](https://a.b).')).toBe(
    'Title Bold and slanted, code, a link.',
  );
  expect(words('| City | Days |\n|:---|---:|\n| Lisbon | 4 |')).toBe('City · Days Lisbon · 4');
  expect(words('- [x] done\n- open\n> quoted\n\n---\n```ts\nlet a = 1;\n```')).toBe('done open quoted let a = 1;');
  expect(words('a **bold that was cut …')).toBe('a bold that was cut …');
  expect(words('2 * 3 * 4, snake_case_name, a_b')).toBe('2 * 3 * 4, snake_case_name, a_b');
});

test('a preview in one line shows items and cells of a table apart, and no marks', () => {
  expect(plainLine('Two roofs: - **9:30** Coffee - 10:30 Library')).toBe('Two roofs: 9:30 Coffee · 10:30 Library');
  expect(plainLine('…| degrees | |:--|--:| | Porto | 19 | ```mermaid flowchart LR')).toBe(
    '… degrees · Porto · 19 · flowchart LR',
  );
  expect(plainLine('Lisbon | 21 | ```mermaid flowchart LR ``` ```html <p>Hi</p> ``` and [a link](https://a…')).toBe(
    'Lisbon · 21 · flowchart LR <p>Hi</p> and a link',
  );
  expect(plainLine('## What follows It costs 19. Then 2 + 3 > 4.')).toBe('What follows It costs 19. Then 2 + 3 > 4.');
});

test('a formula in a preview has no signs around it, and prices keep theirs', () => {
  expect(plainLine('Euler wrote $e^{i\\pi} + 1 = 0$ and \\(a^2\\), $$c$$ and \\[d\\].')).toBe(
    'Euler wrote e^{i\\pi} + 1 = 0 and a^2, c and d.',
  );
  expect(plainLine('It is $e^{i\\pi}…')).toBe('It is e^{i\\pi}…');
  expect(plainLine('So $$\\sum_{k=1}^n k…')).toBe('So \\sum_{k=1}^n k…');
  for (const text of ['$5 and $10', '$5-$10, US$3', '$HOME/bin:$PATH/my_dir', 'It costs $5 for my_var', 'echo $1'])
    expect(plainLine(text)).toBe(text);
});
