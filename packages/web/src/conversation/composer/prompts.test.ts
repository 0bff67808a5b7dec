import { expect, test } from 'vitest';
import { fillVariables, listVariables, promptName } from './prompts.ts';

test('variables of a prompt are asked for once, and one without a value stays visible', () => {
  const text = 'From {{ language }} to {{other one}}: {{language}}';
  expect(listVariables(text)).toEqual(['language', 'other one']);
  expect(fillVariables(text, { language: '$& Dutch', 'other one': '' })).toBe(
    'From $& Dutch to {{other one}}: $& Dutch',
  );
});

test('the name of a prompt can be typed after a slash', () => {
  expect(promptName(' Résumé: my Style! ')).toBe('résumé-my-style');
});
