import { expect, test } from 'vitest';
import { safeAddress } from './safe-link.tsx';

test('only pages and mailboxes are linked', () => {
  expect(safeAddress('https://example.org/a?b=1')).toBe('https://example.org/a?b=1');
  expect(safeAddress('mailto:a@example.org')).toBe('mailto:a@example.org');
  const others = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    '/c/abc',
    '#x',
  ];
  for (const href of [...others, 'vbscript:x', 'file:///etc/passwd', 'blob:x', undefined])
    expect(safeAddress(href)).toBeUndefined();
});
