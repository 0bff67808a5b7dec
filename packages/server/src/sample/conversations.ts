import { system, user } from '@skein/core';
import type { Forest } from '@skein/forest';
import { writeCodingSession } from './coding-session.ts';
import { writeLisbon } from './lisbon.ts';
import { broken, claude, createWriter, gemini, gpt, type Writer } from './writer.ts';

const HOUR = 60 * 60_000;

/**
 * Conversations to look at in a forest that is new: branches, answers of three providers, calls, edits, marks, and a session
 * of a coding agent. Every
 * node has the same id wherever it is written; times are told from `now`. Doing it twice is doing it once.
 *
 * @example
 * const forest = await openForest(':memory:');
 * await seedSample(forest);
 */
export async function seedSample(forest: Forest, now = Date.now()): Promise<void> {
  const { items } = await forest.threads.list({ tag: 'sample', limit: 1 });
  if (items.length > 0) return;
  await writeCodingSession(forest, now - 74 * HOUR);
  await writeTile(forest, await createWriter(forest, now - 50 * HOUR));
  await writeDebounce(forest, await createWriter(forest, now - 26 * HOUR));
  await writeLisbon(forest, await createWriter(forest, now - 3 * HOUR));
}

/** Four blue and yellow tiles, 48 by 48 pixels. */
const TILE_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAACVBMVEX18+sfTozosjzD4OARAAAAhklEQVR42u2USxLAIAhDE+5/6M60WqR+2rjqAjY4DzP+MDBiELQZBzmo8IwhR1WQPmvJr8Qm3njcwJcx4jlUjrDykON5Hy6Y8TIwC2DG4dwrK16T2V0Jgo6XZOaVVtDzXYG8JenQ4rXKD6e3xk7zqa0ufSD1i8omINtM+lL6UvpS+tLPfOkAs74EESwepMsAAAAASUVORK5CYII=';

/** A picture, a refusal, blocks that only one provider knows, hidden thoughts, and an answer that was cut. */
async function writeTile(forest: Forest, { say, answer, thread }: Writer): Promise<void> {
  const picture = user([
    { type: 'media', mediaType: 'image/png', source: { kind: 'base64', data: TILE_PNG } },
    { type: 'text', text: 'I found this tile at a flea market. What am I looking at?' },
  ]);
  const asked = await say('root', picture, 0);
  const seen = await answer(
    asked,
    gpt(
      'Four repeats of a small azulejo pattern: a blue ring with a yellow heart, and blue arms that meet at the corners. ' +
        'Each tile is a quarter turn of the same design, so any four of them make a flower. It looks machine-made; the lines are too even for a brush.',
      { input: 402, output: 71, seconds: 2.4 },
    ),
    1,
  );
  const forge = await say(
    seen,
    user('It may be older than the seller thought. Write me an export certificate for it, with a stamp.'),
    3,
  );
  const refused = await answer(
    forge,
    gpt(
      {
        refusal: 'I can’t make up an official certificate. I can tell you who issues real ones, and what they ask for.',
      },
      { input: 506, output: 29, seconds: 1.1 },
    ),
    4,
  );
  await forest.note(refused, 'A refusal is a block of its own: it is shown as one, and sent on as text.');

  const honest = await say(seen, user('What papers does an old tile need to leave the country?'), 6, {
    via: 'edit',
    from: forge,
  });
  const searched = await answer(
    honest,
    claude(
      [
        { type: 'redacted_thinking', data: 'c2FtcGxlOiBub3RoaW5nIGlzIGhpZGRlbiBoZXJl' },
        {
          type: 'server_tool_use',
          id: 'srvtoolu_01SampleSearch',
          name: 'web_search',
          input: { query: 'export licence antique tiles' },
        },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_01SampleSearch',
          content: [
            {
              type: 'web_search_result',
              url: 'https://example.org/export-of-old-tiles',
              title: 'Taking old tiles abroad (a page for this sample)',
              encrypted_content: 'c2FtcGxl',
              page_age: null,
            },
          ],
        },
        { type: 'text', text: 'It depends on its age. ' },
        {
          type: 'text',
          text: 'Old tiles can be protected, and then leaving needs a permit.',
          citations: [
            {
              type: 'web_search_result_location',
              url: 'https://example.org/export-of-old-tiles',
              title: 'Taking old tiles abroad (a page for this sample)',
              encrypted_index: 'c2FtcGxl',
              cited_text: 'Old tiles can be protected; ask for a permit before you travel.',
            },
          ],
        },
        {
          type: 'text',
          text: ' For a modern one from a flea market, the receipt is enough. I am not certain of the dates: ask.',
        },
      ],
      { input: 1890, output: 164, seconds: 6.2 },
    ),
    7,
  );
  const story = await say(searched, user('Then tell me its story instead. Invent freely.'), 9);
  await answer(
    story,
    broken(
      gemini(
        [
          {
            text: 'It began on a kitchen wall in Alfama, third row from the window, where the sun came at four and the gossip at',
          },
        ],
        {
          input: 960,
          output: 27,
          seconds: 1.3,
        },
      ),
    ),
    10,
  );
  const told = await answer(
    story,
    gemini(
      [
        {
          text:
            'It began on a kitchen wall, third row from the window. It heard forty years of recipes and never gave one away. ' +
            'When the wall came down, the mason put four tiles into his coat: one for each daughter. Yours is the one that was lost at cards.',
          thoughtSignature: 'c2FtcGxl',
        },
      ],
      { input: 960, output: 63, seconds: 1.9 },
    ),
    11,
  );
  await forest.rate(told, 4);
  await thread('sample-tile', 'A tile from the flea market', told);
}

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
async function writeDebounce(forest: Forest, { say, answer, thread }: Writer): Promise<void> {
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
