import { system, toolResult, user } from '@skein/core';
import type { Forest } from '@skein/forest';
import { claude, gemini, gpt, type Writer } from './writer.ts';

const SYSTEM = 'You help people who read more than they sightsee. Be brief and concrete. Say so when you are guessing.';

const QUESTION =
  'I have five days in Lisbon in March, and three long novels to finish. Where should I sit and read, and what do I pack for the weather?';

const THOUGHT =
  'Two questions: places to sit, and the weather. March can be wet, so indoor places matter as much as gardens. I should look at the numbers instead of remembering them.';

const WEATHER = '{"high": 18.4, "low": 10.9, "rainDays": 8, "sunHours": 6.9, "unit": "celsius"}';

const TABLE = `Mild, with a wet day or two: about 18 °C in the afternoon, 11 °C at night.

| Where | Why | When it rains |
|---|---|---|
| **Jardim da Estrela** | benches in the shade, coffee at the kiosk | no |
| **Palácio Galveias library** | reading rooms, and a garden with peacocks | yes |
| **Gulbenkian garden** | quiet corners by the water | the café, yes |
| **Miradouro da Graça** | the light from five o’clock on | no |

Pack a light raincoat, one warm layer, and a bag that closes: books mind the rain more than you do. `;

/** With a source, as the API puts it. */
const PLACES: readonly object[] = [
  { type: 'text', text: TABLE },
  {
    type: 'text',
    text: 'Showers in March tend to be short.',
    citations: [
      {
        type: 'web_search_result_location',
        url: 'https://example.org/lisbon-in-march',
        title: 'Lisbon in March (a page for this sample)',
        encrypted_index: 'c2FtcGxl',
        cited_text: 'Rain falls on about eight days, mostly as short showers.',
      },
    ],
  },
  { type: 'text', text: ' I am guessing that the peacocks still live there.' },
];

const GPT_PLACES = `**Sit:** the Gulbenkian garden in the morning, Jardim da Estrela after lunch, the terrace in Graça towards evening. Keep the Galveias library for rain.

**Pack:** layers for 11 to 18 °C, a raincoat, and shoes that hold on wet cobbles.

Five days and three long novels are about 350 pages a day. Choose the third one with care.`;

const GEMINI_THOUGHT =
  '**Weighing the week.** Five days, three novels. The person wants to sit still, so few places, close together, are better than many.';

const GEMINI_PLACES = `Stay on one hill and walk little:

1. *Morning* – Jardim da Estrela, on the side of the kiosk.
2. *Afternoon* – a library or a café with large tables.
3. *Evening* – a viewpoint, for as long as there is light.

For March I would pack a raincoat and a jumper. I have not looked at a forecast.`;

const ORDER =
  'The longest first, while you are fresh. Keep the one with short chapters for the flight home: it can be put down at every gate.';

const WET_DAY = 'Day three looks wet. Plan just that day, hour by hour, with no more than two places.';

const PLAN = `Two roofs, one umbrella:

- **9:30** Coffee near Campo Pequeno, first forty pages
- **10:30** Palácio Galveias library, by the window, until it closes for lunch
- **13:30** Lunch, slowly
- **15:00** Gulbenkian café; the garden is worth ten minutes of rain
- **18:30** Home, with the end of the chapter still to come`;

const GPT_PLAN = `- **10:00–16:00** Palácio Galveias library
- **16:30–19:00** Gulbenkian café

Everything else that day is getting wet.`;

const CODE_THOUGHT =
  'A calendar file is lines of text with CRLF. Local times without a zone float, which is right for a traveller. Texts need commas and semicolons escaped.';

const CODE = `Times without a zone are local wherever you are, which is what a traveller wants:

\`\`\`ts
interface Stop {
  readonly from: string; // '20270310T093000'
  readonly to: string;
  readonly what: string;
}

const escaped = (text: string) => text.replace(/[\\\\,;]/g, (sign) => \`\\\\\${sign}\`);

export function calendar(stops: readonly Stop[]): string {
  const events = stops.flatMap(({ from, to, what }, index) => [
    'BEGIN:VEVENT',
    \`UID:reading-week-\${index}@example.org\`,
    \`DTSTART:\${from}\`,
    \`DTEND:\${to}\`,
    \`SUMMARY:\${escaped(what)}\`,
    'END:VEVENT',
  ]);
  return ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//reading week//EN', ...events, 'END:VCALENDAR', ''].join('\\r\\n');
}
\`\`\`

Some programs also want a \`DTSTAMP\` in each event; add one if yours complains.`;

const ALARM = `Five more lines in each event, before \`END:VEVENT\`:

\`\`\`ts
    'BEGIN:VALARM',
    'TRIGGER:-PT15M',
    'ACTION:DISPLAY',
    \`DESCRIPTION:\${escaped(what)}\`,
    'END:VALARM',
\`\`\`

Phones that show nothing at all often have reminders of imported calendars turned off.`;

const WET_DAY_AT_HOME = 'Day three looks wet. Plan it without leaving the streets around the flat in Graça.';

const HOME_PLAN = `A day within three hundred steps:

- **Morning** – the window seat, and the second novel
- **Noon** – soup at the corner; take the book, nobody will mind
- **Afternoon** – the viewpoint between two showers, then back
- **Evening** – fado through the wall, if you are lucky`;

const BREAKFAST =
  'Bread and a custard tart from the nearest bakery, before nine. After nine the tarts are gone; this is a guess, but a well-founded one.';

const PORTUGUESE_SYSTEM =
  'You help people who read more than they sightsee. Be brief and concrete. Answer in Portuguese, whatever you are asked in.';

const PORTUGUESE = `De manhã, o Jardim da Estrela. À tarde, a biblioteca do Palácio Galveias, sobretudo se chover. Ao fim do dia, o Miradouro da Graça.

Leve um impermeável leve e uma camisola: em março, as tardes são amenas e as noites frescas.`;

const thinking = (thought: string) => ({ type: 'thinking', thinking: thought, signature: 'c2FtcGxl' });
const said = (words: string) => ({ type: 'text', text: words });
const ARGUMENTS = { city: 'Lisbon', month: 3, unit: 'celsius' };

/** The main conversation: three answers to one question, calls, an edited question, another system text. */
export async function writeLisbon(forest: Forest, writer: Writer): Promise<void> {
  const { say, answer, thread } = writer;
  const brief = await say('root', system(SYSTEM), 0);
  const asked = await say(brief, user(QUESTION), 0);

  const calls = await answer(
    asked,
    claude(
      [
        thinking(THOUGHT),
        said('Let me look at the weather before I send you outdoors.'),
        { type: 'tool_use', id: 'toolu_01SampleWeather', name: 'get_weather', input: ARGUMENTS },
      ],
      { input: 412, output: 138, seconds: 3.2 },
      'tool_use',
    ),
    1,
  );
  const weather = await say(calls, toolResult('toolu_01SampleWeather', WEATHER), 1);
  const places = await answer(weather, claude(PLACES, { input: 121, cacheRead: 540, output: 402, seconds: 8.7 }), 2);
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
  const gptWeather = await say(gptCalls, toolResult('call_SampleWeather', WEATHER), 1);
  await answer(gptWeather, gpt(GPT_PLACES, { input: 520, output: 171, reasoning: 32, seconds: 4.1 }), 2);

  const geminiPlaces = await answer(
    asked,
    gemini(
      [
        { text: GEMINI_THOUGHT, thought: true },
        { text: GEMINI_PLACES, thoughtSignature: 'c2FtcGxl' },
      ],
      { input: 371, output: 212, reasoning: 71, seconds: 2.2 },
    ),
    1,
  );
  const order = await say(geminiPlaces, user('Which of the three novels first?'), 5);
  await answer(order, gemini([{ text: ORDER }], { input: 604, output: 58, seconds: 1.1 }), 5);

  const wet = await say(places, user(WET_DAY), 12);
  const plan = await answer(wet, claude([said(PLAN)], { input: 64, cacheRead: 1010, output: 187, seconds: 4.6 }), 13);
  const other = await answer(wet, gpt(GPT_PLAN, { input: 1120, output: 118, seconds: 2.9 }), 13);
  await forest.note(other, 'Shorter, but it forgets that libraries close at lunch time.');
  const code = await say(plan, user('Make a calendar file of it. TypeScript, no dependencies.'), 16);
  const calendar = await answer(
    code,
    claude([thinking(CODE_THOUGHT), said(CODE)], { input: 71, cacheRead: 1260, output: 466, seconds: 9.8 }),
    17,
  );
  await forest.tag(calendar, { keep: true });
  const alarm = await say(calendar, user('Remind me a quarter of an hour before each.'), 21);
  const head = await answer(
    alarm,
    claude([said(ALARM)], { input: 58, cacheRead: 1790, output: 149, seconds: 3.5 }),
    22,
  );

  const edited = await say(places, user(WET_DAY_AT_HOME), 30, { via: 'edit', from: wet });
  const home = await answer(edited, gemini([{ text: HOME_PLAN }], { input: 1180, output: 104, seconds: 1.7 }), 30);
  const bread = await say(home, user('And breakfast?'), 32);
  const homeHead = await answer(bread, gpt(BREAKFAST, { input: 1310, output: 47, seconds: 1.4 }), 32);

  const briefer = await say('root', system(PORTUGUESE_SYSTEM), 40, { via: 'edit', from: brief });
  const carried = await say(briefer, user(QUESTION), 40, { via: 'edit', from: asked });
  await answer(carried, gemini([{ text: PORTUGUESE }], { input: 380, output: 96, seconds: 1.6 }), 41);

  await thread('sample-lisbon-home', 'A wet day in Graça', homeHead);
  await thread('sample-lisbon', 'A reading week in Lisbon', head);
}
