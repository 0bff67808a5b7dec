import { user } from '@skein/core';
import type { Forest } from '@skein/forest';
import { broken, claude, gemini, gpt, type Writer } from './writer.ts';

/** Four blue and yellow tiles, 48 by 48 pixels. */
const TILE_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAMAAABg3Am1AAAACVBMVEX18+sfTozosjzD4OARAAAAhklEQVR42u2USxLAIAhDE+5/6M60WqR+2rjqAjY4DzP+MDBiELQZBzmo8IwhR1WQPmvJr8Qm3njcwJcx4jlUjrDykON5Hy6Y8TIwC2DG4dwrK16T2V0Jgo6XZOaVVtDzXYG8JenQ4rXKD6e3xk7zqa0ufSD1i8omINtM+lL6UvpS+tLPfOkAs74EESwepMsAAAAASUVORK5CYII=';

/** A picture, a refusal, blocks that only one provider knows, hidden thoughts, and an answer that was cut. */
export async function writeTile(forest: Forest, { say, answer, thread }: Writer): Promise<void> {
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
