import { system, toolResult, user } from '@skein/core';
import type { Forest } from '@skein/forest';
import * as text from './lisbon-texts.ts';
import { claude, gemini, gpt } from './models.ts';
import type { Writer } from './writer.ts';

const thinking = (thought: string) => ({ type: 'thinking', thinking: thought, signature: 'c2FtcGxl' });
const said = (words: string) => ({ type: 'text', text: words });
const ARGUMENTS = { city: 'Lisbon', month: 3, unit: 'celsius' };

/** The main conversation: three answers to one question, calls, an edited question, another system text. */
export async function writeLisbon(forest: Forest, writer: Writer): Promise<void> {
  const { say, answer, thread } = writer;
  const brief = await say('root', system(text.SYSTEM), 0);
  const asked = await say(brief, user(text.QUESTION), 0);

  const calls = await answer(
    asked,
    claude(
      [
        thinking(text.THOUGHT),
        said('Let me look at the weather before I send you outdoors.'),
        { type: 'tool_use', id: 'toolu_01SampleWeather', name: 'get_weather', input: ARGUMENTS },
      ],
      { input: 412, output: 138, seconds: 3.2 },
      'tool_use',
    ),
    1,
  );
  const weather = await say(calls, toolResult('toolu_01SampleWeather', text.WEATHER), 1);
  const places = await answer(
    weather,
    claude(text.PLACES, { input: 121, cacheRead: 540, output: 402, seconds: 8.7 }),
    2,
  );
  await forest.bookmarks.add(places, 'Where to read in Lisbon');
  await forest.rate(places, 5);

  const gptCalls = await answer(
    asked,
    gpt(
      {
        tool_calls: [
          {
            id: 'call_SampleWeather',
            type: 'function',
            function: { name: 'get_weather', arguments: JSON.stringify(ARGUMENTS) },
          },
        ],
      },
      { input: 388, output: 93, reasoning: 64, seconds: 2.6 },
      'tool_calls',
    ),
    1,
  );
  const gptWeather = await say(gptCalls, toolResult('call_SampleWeather', text.WEATHER), 1);
  await answer(gptWeather, gpt(text.GPT_PLACES, { input: 520, output: 171, reasoning: 32, seconds: 4.1 }), 2);

  const geminiPlaces = await answer(
    asked,
    gemini(
      [
        { text: text.GEMINI_THOUGHT, thought: true },
        { text: text.GEMINI_PLACES, thoughtSignature: 'c2FtcGxl' },
      ],
      { input: 371, output: 212, reasoning: 71, seconds: 2.2 },
    ),
    1,
  );
  const order = await say(geminiPlaces, user('Which of the three novels first?'), 5);
  await answer(order, gemini([{ text: text.ORDER }], { input: 604, output: 58, seconds: 1.1 }), 5);

  const wet = await say(places, user(text.WET_DAY), 12);
  const plan = await answer(
    wet,
    claude([said(text.PLAN)], { input: 64, cacheRead: 1010, output: 187, seconds: 4.6 }),
    13,
  );
  const other = await answer(wet, gpt(text.GPT_PLAN, { input: 1120, output: 118, seconds: 2.9 }), 13);
  await forest.note(other, 'Shorter, but it forgets that libraries close at lunch time.');
  const code = await say(plan, user('Make a calendar file of it. TypeScript, no dependencies.'), 16);
  const calendar = await answer(
    code,
    claude([thinking(text.CODE_THOUGHT), said(text.CODE)], { input: 71, cacheRead: 1260, output: 466, seconds: 9.8 }),
    17,
  );
  await forest.tag(calendar, { keep: true });
  const alarm = await say(calendar, user('Remind me a quarter of an hour before each.'), 21);
  const head = await answer(
    alarm,
    claude([said(text.ALARM)], { input: 58, cacheRead: 1790, output: 149, seconds: 3.5 }),
    22,
  );

  const edited = await say(places, user(text.WET_DAY_AT_HOME), 30, { via: 'edit', from: wet });
  const home = await answer(edited, gemini([{ text: text.HOME_PLAN }], { input: 1180, output: 104, seconds: 1.7 }), 30);
  const bread = await say(home, user('And breakfast?'), 32);
  const homeHead = await answer(bread, gpt(text.BREAKFAST, { input: 1310, output: 47, seconds: 1.4 }), 32);

  const briefer = await say('root', system(text.PORTUGUESE_SYSTEM), 40, { via: 'edit', from: brief });
  const carried = await say(briefer, user(text.QUESTION), 40, { via: 'edit', from: asked });
  await answer(carried, gemini([{ text: text.PORTUGUESE }], { input: 380, output: 96, seconds: 1.6 }), 41);

  await thread('sample-lisbon-home', 'A wet day in Graça', homeHead);
  await thread('sample-lisbon', 'A reading week in Lisbon', head);
}
