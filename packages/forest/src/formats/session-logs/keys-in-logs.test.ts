import { expect, test } from 'vitest';
import { findKeys, removeKeys } from './keys-in-logs.ts';

/** No real keys: letters and digits in a row, in the forms that services give out. */
const LETTERS = 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789';

const KEYS = [
  ['a key of Anthropic', `sk-ant-api03-${LETTERS.slice(0, 30)}`],
  ['a key of OpenRouter', `sk-or-v1-${LETTERS.slice(0, 30)}`],
  ['a key of OpenAI', `sk-proj-${LETTERS.slice(0, 30)}`],
  ['a key of OpenAI', `sk-${LETTERS.slice(0, 48)}`],
  ['a key of Google', `AIza${LETTERS.slice(0, 35)}`],
  ['a key of AWS', `AKIA${LETTERS.toUpperCase().slice(0, 16)}`],
  ['a token of GitHub', `ghp_${LETTERS.slice(0, 36)}`],
  ['a token of GitHub', `github_pat_${LETTERS.slice(0, 60)}`],
  ['a token of GitLab', `glpat-${LETTERS.slice(0, 20)}`],
  ['a token of Slack', `xoxb-${LETTERS.slice(0, 24)}`],
  ['a token of npm', `npm_${LETTERS.slice(0, 36)}`],
  ['a key of Stripe', `sk_live_${LETTERS.slice(0, 24)}`],
  ['a private key', `-----BEGIN PRIVATE KEY-----\\n${LETTERS}\\n-----END PRIVATE KEY-----`],
] as const;

test('keys of all forms are found in one text, each on its line and of its kind, and left out of it', () => {
  const text = KEYS.map(([, key]) => JSON.stringify({ text: `It is ${key.replaceAll('\\n', '\n')}.` })).join('\n');
  const found = findKeys(text);
  expect(found.map(({ kind, line }) => [kind, line])).toEqual(KEYS.map(([kind], index) => [kind, index + 1]));
  const left = removeKeys(text, found);
  for (const { value } of found) expect(left).not.toContain(value);
  expect(left.split('\n').map((line) => JSON.parse(line).text)).toEqual(
    KEYS.map(([kind]) => `It is [${kind} was left out].`),
  );
});

test('examples of keys, and words that only begin like one, are none', () => {
  for (const text of [
    `sk-ant-${'x'.repeat(40)}`,
    `ghp_${'a'.repeat(36)}`,
    'npm_config_registry',
    'task-force',
    'sk-learn',
  ])
    expect(findKeys(text)).toEqual([]);
});
