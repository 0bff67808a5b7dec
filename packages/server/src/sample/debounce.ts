import { system, user } from '@skein/core';
import type { Forest } from '@skein/forest';
import { claude, gemini, gpt, type Writer } from './writer.ts';

const QUESTION = `My search box asks the server on every key. I wrote this, and sometimes the *older* answer wins. Why?

\`\`\`ts
let timer: number;
export function search(text: string, show: (hits: Hit[]) => void) {
  clearTimeout(timer);
  timer = setTimeout(async () => show(await ask(text)), 200);
}
\`\`\``;

const WHY =
  'The timer only decides when a question leaves. Two questions can be on their way at once, and answers do not come back in the order they were asked.';

const FIRST = `${WHY}

Count the questions, and let only the last one speak:

\`\`\`ts
let timer: number;
let latest = 0;
export function search(text: string, show: (hits: Hit[]) => void) {
  clearTimeout(timer);
  const mine = ++latest;
  timer = setTimeout(async () => {
    const hits = await ask(text);
    if (mine === latest) show(hits);
  }, 200);
}
\`\`\`

The older request still runs to its end; its answer is thrown away.`;

const SECOND = `${WHY}

Stop the older question, and nothing has to be counted:

\`\`\`ts
let timer: number;
let asking = new AbortController();
export function search(text: string, show: (hits: Hit[]) => void) {
  clearTimeout(timer);
  asking.abort();
  const { signal } = (asking = new AbortController());
  timer = setTimeout(async () => {
    const hits = await ask(text, signal);
    if (!signal.aborted) show(hits);
  }, 200);
}
\`\`\`

The older request ends at once, and the server is spared the work.`;

const TEST = `Give \`ask\` two answers that come back in the wrong order:

\`\`\`ts
test('the last question wins, whatever comes back first', async () => {
  const shown: string[] = [];
  const show = (hits: Hit[]) => shown.push(...hits.map(({ title }) => title));
  search('sk', show);
  vi.advanceTimersByTime(200);
  search('skein', show);
  vi.advanceTimersByTime(200);
  answers.skein.resolve([{ title: 'skein' }]);
  answers.sk.resolve([{ title: 'sky' }]);
  await vi.runAllTimersAsync();
  expect(shown).toEqual(['skein']);
});
\`\`\`

It fails with your version: \`sky\` is shown last.`;

/** One question, two answers that share half of their lines: something to compare. */
export async function writeDebounce(forest: Forest, { say, answer, thread }: Writer): Promise<void> {
  const brief = await say(
    'root',
    system('You review code. Say what is wrong first, then show the smallest change that mends it.'),
    0,
  );
  const asked = await say(brief, user(QUESTION), 0);
  const counted = await answer(asked, gpt(FIRST, { input: 168, output: 143, reasoning: 0, seconds: 3.1 }), 1);
  const aborted = await answer(
    asked,
    claude(
      [
        {
          type: 'thinking',
          thinking:
            'The debounce is fine. The race is between two requests in flight. A counter would do; aborting also frees the server, and fetch takes a signal anyway.',
          signature: 'c2FtcGxl',
        },
        { type: 'text', text: SECOND },
      ],
      { input: 174, output: 221, seconds: 4.4 },
    ),
    1,
  );
  await forest.rate(aborted, 5);
  await forest.tag(aborted, { used: true });
  const how = await say(aborted, user('How do I test that without waiting for real time?'), 4);
  const tested = await answer(
    how,
    claude([{ type: 'text', text: TEST }], { input: 96, cacheRead: 410, output: 188, seconds: 3.9 }),
    5,
  );
  const short = await say(tested, user('One sentence for the changelog, please.'), 7);
  const line = await answer(
    short,
    gemini([{ text: 'Search no longer shows the answer to an older question when a newer one has been asked.' }], {
      input: 812,
      output: 18,
      seconds: 0.8,
    }),
    7,
  );
  const again = await say(counted, user('And if `ask` throws?'), 8);
  await answer(
    again,
    gpt(
      'Then nobody hears of it: the error is lost in the timer. Catch it inside, and show it only `if (mine === latest)`, as with an answer.',
      { input: 340, output: 41, seconds: 1.5 },
    ),
    8,
  );
  await thread('sample-debounce', 'The older answer wins', line);
}
