/** The words of the demo model. */
import type { ToolResult } from './brain.ts';
import type { Chance } from './chance.ts';

interface Content {
  readonly topic: string;
  readonly results: readonly ToolResult[];
  readonly chance: Chance;
}

type Some<T> = readonly [T, ...T[]];

const headings: Some<string> = [
  'A demo answer',
  'Here is a demo reply',
  'From the demo model',
  'A reply without a model',
];

const openings: Some<string> = [
  "I am Skein's demo model, and no real one: I fill in templates and understand nothing.",
  "This comes from Skein's demo model. No real model has read your message.",
  "You are talking to Skein's demo model, a small program that runs without a key.",
];

const points: Some<readonly string[]> = [
  [
    'Replies stream at the pace of a real model.',
    'Regenerate, and you get another variant.',
    'Nothing leaves your machine.',
  ],
  [
    'Fork this conversation to see two branches grow.',
    'Edit your message, and send it again.',
    'Offer a tool, and I may call it.',
  ],
  [
    'Every byte of this reply is kept as it was sent.',
    'Token counts are estimates from lengths.',
    'Add a key to talk to a real model.',
  ],
];

const samples: Some<readonly [language: string, code: string]> = [
  ['ts', "const greet = (name: string) => ['Hello,', name].join(' ');\n\nconsole.log(greet('Skein'));"],
  [
    'python',
    'def fibonacci(n: int) -> int:\n    a, b = 0, 1\n    for _ in range(n):\n        a, b = b, a + b\n    return a',
  ],
  ['sql', 'SELECT branch, count(*) AS messages\nFROM nodes\nGROUP BY branch\nORDER BY messages DESC;'],
  ['sh', 'for file in *.md; do\n  wc -w "$file"\ndone'],
];

/** A fence longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function quoted({ name, text }: ToolResult): string {
  const short = text.length > 2000 ? `${text.slice(0, 2000)}…` : text;
  return `${name === undefined ? 'A tool' : `\`${name}\``} answered:\n\n${fenced(short)}`;
}

export function demoAnswer({ topic, results, chance }: Content): string {
  const [language, code] = chance.pick(samples, 'sample');
  const list = chance.pick(points, 'points').map((point) => `- ${point}`);
  return [
    `## ${chance.pick(headings, 'heading')}`,
    chance.pick(openings, 'opening'),
    ...results.map(quoted),
    ...(topic === '' ? [] : [`> ${topic}`]),
    list.join('\n'),
    'A bit of code, to show how it looks:',
    fenced(code, language),
  ].join('\n\n');
}
