import { dialect, type Message, user } from '@skein/core';
import { expect, test } from 'vitest';
import { findOpening, makeTitle } from './title.ts';

const anthropic = (...texts: string[]): Message =>
  dialect('anthropic-messages').parseMessage(
    JSON.stringify({ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }),
  );
const REMINDER =
  '<system-reminder>\nAs you answer the user’s questions, you can use the following context:\n# x\n</system-reminder>';
const SESSION =
  '<session_context>\nThis is the Gemini CLI. We are setting up the context for our chat.\n<dir a="b">x</dir>\n</session_context>';

test.each<[string, string, readonly Message[]]>([
  ['Claude Code, in blocks of their own', 'read note.txt', [anthropic(REMINDER, REMINDER, 'read note.txt')]],
  ['Claude Code, in one text', 'read note.txt', [user(`${REMINDER}\n\nread note.txt\n${REMINDER}`)]],
  ['Gemini CLI, in a message of its own', 'read note.txt', [user(SESSION), user('read note.txt')]],
  [
    'an older Gemini CLI, without an element',
    'read note.txt',
    [
      user('This is the Gemini CLI. We are setting up the context for our chat.\nToday is Monday.'),
      user('read note.txt'),
    ],
  ],
  [
    'Codex, with its environment and instructions',
    'read note.txt',
    [
      user('# AGENTS.md instructions for /home/user\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>'),
      user('<environment_context>\n  <cwd>/home/user</cwd>\n</environment_context>'),
      user('<permissions instructions>\nAsk first.\n</permissions instructions>\nread note.txt'),
    ],
  ],
  ['OpenCode, in quotation marks', 'read note.txt', [user('"read note.txt"')]],
  [
    'a command, by what was written behind it',
    'the parser',
    [
      user(
        '<command-message>review is running…</command-message>\n<command-name>/review</command-name>\n<command-args>the parser</command-args>',
      ),
    ],
  ],
  [
    'agents that mark what the person wrote',
    'mend the tests',
    [user('<task>\nmend the tests\n</task>\n<environment_details>\n# Files\n</environment_details>')],
  ],
])('the title is what the person wrote: %s', (_what, title, messages) => {
  expect(findOpening(messages)).toEqual({ title, opening: title });
});

const LOG = Array.from({ length: 60 }, (_, line) => `2026-11-16 12:00:${line} server: line ${line}`).join('\n');

test.each<[string, string, Message]>([
  ['an attached file in a block of its own', 'Why does it fail?', anthropic(LOG, 'Why does it fail?')],
  [
    'an attached file in an element',
    'Why does it fail?',
    user(`<document name="x">\n${LOG}\n</document>\nWhy does it fail?`),
  ],
  [
    'a file that Gemini CLI put behind',
    'Why? @x.log',
    user(`Why? @x.log\n--- Content from referenced files ---\n${LOG}\n--- End of content ---`),
  ],
  ['a paste in front', 'Why does it fail?', user(`${LOG}\nWhy does it fail?`)],
  ['a paste behind', 'Look at this, please', user(`Look at this, please\n\n${LOG}`)],
  ['a letter in front', 'Answer it kindly', user(`${'Dear all, we write to you. '.repeat(40)}\n\nAnswer it kindly`)],
  ['code', 'Mend this:', user(`Mend this:\n\`\`\`js\n${'x();\n'.repeat(500)}\`\`\``)],
])('the question is the title, not what came with it: %s', (_what, title, message) => {
  expect(makeTitle([message])).toBe(title);
});

test.each<[string, string]>([
  ['# Plan\n\n**Two days** in *Lisbon*', 'Plan Two days in Lisbon'],
  ['> - [ ] mend `parse()` in [the parser](src/parser.ts)', 'mend parse() in the parser'],
  ['| City | Days |\n|:---|---:|\n| Lisbon | 2 |', '| City | Days | | Lisbon | 2 |'],
  [
    'Which of *.ts and *.js, 2 * 3 * 4, a**b, __init__ or #1?',
    'Which of *.ts and *.js, 2 * 3 * 4, a**b, __init__ or #1?',
  ],
  ['**', '**'],
])('a title shows words and no marks of Markdown: %s', (text, title) => {
  expect(makeTitle([user(text)])).toBe(title);
});

test('a conversation of which programs wrote everything is titled by their words, and one of nothing is not', () => {
  expect(makeTitle([user('<turn_aborted>The user left.</turn_aborted>')])).toBe(
    '<turn_aborted>The user left.</turn_aborted>',
  );
  expect(makeTitle([user('if a <b-c> d')])).toBe('if a <b-c> d');
  expect(makeTitle([])).toBe('');
});

test('thousands of elements that nobody closes take no time', () => {
  const started = performance.now();
  expect(makeTitle([user('<a-b>'.repeat(200_000))])).toMatch(/^<a-b>/);
  expect(performance.now() - started).toBeLessThan(3000);
});
