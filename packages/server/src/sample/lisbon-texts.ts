/** What is said in the conversation about Lisbon. */
export const SYSTEM =
  'You help people who read more than they sightsee. Be brief and concrete. Say so when you are guessing.';

export const QUESTION =
  'I have five days in Lisbon in March, and three long novels to finish. Where should I sit and read, and what do I pack for the weather?';

export const THOUGHT =
  'Two questions: places to sit, and the weather. March can be wet, so indoor places matter as much as gardens. I should look at the numbers instead of remembering them.';

export const WEATHER = '{"high": 18.4, "low": 10.9, "rainDays": 8, "sunHours": 6.9, "unit": "celsius"}';

const TABLE = `Mild, with a wet day or two: about 18 °C in the afternoon, 11 °C at night.

| Where | Why | When it rains |
|---|---|---|
| **Jardim da Estrela** | benches in the shade, coffee at the kiosk | no |
| **Palácio Galveias library** | reading rooms, and a garden with peacocks | yes |
| **Gulbenkian garden** | quiet corners by the water | the café, yes |
| **Miradouro da Graça** | the light from five o’clock on | no |

Pack a light raincoat, one warm layer, and a bag that closes: books mind the rain more than you do. `;

/** With a source, as the API puts it. */
export const PLACES: readonly object[] = [
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

export const GPT_PLACES = `**Sit:** the Gulbenkian garden in the morning, Jardim da Estrela after lunch, the terrace in Graça towards evening. Keep the Galveias library for rain.

**Pack:** layers for 11 to 18 °C, a raincoat, and shoes that hold on wet cobbles.

Five days and three long novels are about 350 pages a day. Choose the third one with care.`;

export const GEMINI_THOUGHT =
  '**Weighing the week.** Five days, three novels. The person wants to sit still, so few places, close together, are better than many.';

export const GEMINI_PLACES = `Stay on one hill and walk little:

1. *Morning* – Jardim da Estrela, on the side of the kiosk.
2. *Afternoon* – a library or a café with large tables.
3. *Evening* – a viewpoint, for as long as there is light.

For March I would pack a raincoat and a jumper. I have not looked at a forecast.`;

export const ORDER =
  'The longest first, while you are fresh. Keep the one with short chapters for the flight home: it can be put down at every gate.';

export const WET_DAY = 'Day three looks wet. Plan just that day, hour by hour, with no more than two places.';

export const PLAN = `Two roofs, one umbrella:

- **9:30** Coffee near Campo Pequeno, first forty pages
- **10:30** Palácio Galveias library, by the window, until it closes for lunch
- **13:30** Lunch, slowly
- **15:00** Gulbenkian café; the garden is worth ten minutes of rain
- **18:30** Home, with the end of the chapter still to come`;

export const GPT_PLAN = `- **10:00–16:00** Palácio Galveias library
- **16:30–19:00** Gulbenkian café

Everything else that day is getting wet.`;

export const CODE_THOUGHT =
  'A calendar file is lines of text with CRLF. Local times without a zone float, which is right for a traveller. Texts need commas and semicolons escaped.';

export const CODE = `Times without a zone are local wherever you are, which is what a traveller wants:

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

export const ALARM = `Five more lines in each event, before \`END:VEVENT\`:

\`\`\`ts
    'BEGIN:VALARM',
    'TRIGGER:-PT15M',
    'ACTION:DISPLAY',
    \`DESCRIPTION:\${escaped(what)}\`,
    'END:VALARM',
\`\`\`

Phones that show nothing at all often have reminders of imported calendars turned off.`;

export const WET_DAY_AT_HOME = 'Day three looks wet. Plan it without leaving the streets around the flat in Graça.';

export const HOME_PLAN = `A day within three hundred steps:

- **Morning** – the window seat, and the second novel
- **Noon** – soup at the corner; take the book, nobody will mind
- **Afternoon** – the viewpoint between two showers, then back
- **Evening** – fado through the wall, if you are lucky`;

export const BREAKFAST =
  'Bread and a custard tart from the nearest bakery, before nine. After nine the tarts are gone; this is a guess, but a well-founded one.';

export const PORTUGUESE_SYSTEM =
  'You help people who read more than they sightsee. Be brief and concrete. Answer in Portuguese, whatever you are asked in.';

export const PORTUGUESE = `De manhã, o Jardim da Estrela. À tarde, a biblioteca do Palácio Galveias, sobretudo se chover. Ao fim do dia, o Miradouro da Graça.

Leve um impermeável leve e uma camisola: em março, as tardes são amenas e as noites frescas.`;
