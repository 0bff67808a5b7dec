/** Exports of other programs, written by hand from what the formats are. */
import sqlite from 'node-sqlite3-wasm';

/** The first bytes of a PNG file. */
export const PIXEL = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

const user = (id: string, parentId: string | null, content: string) => ({
  id,
  parentId,
  role: 'user',
  content,
  timestamp: 1735689600,
});

/** Each format, an export in it, and what is said on the path to the thread's head. */
export const EXPORTS: readonly (readonly [format: string, source: unknown, expected: readonly string[]])[] = [
  [
    'gemini-takeout',
    [
      {
        header: 'Gemini Apps',
        title: 'Prompted Which river?',
        time: '2025-01-01T00:00:00Z',
        safeHtmlItem: [{ html: '<p>The <b>Elbe</b> &amp; more</p>' }],
      },
    ],
    ['user: Which river?', 'assistant: The Elbe & more'],
  ],
  [
    'openrouter',
    {
      version: 'orpg.3.0',
      title: 'Rivers',
      characters: { c1: { model: 'openai/gpt-5' } },
      messages: {
        m2: {
          id: 'm2',
          characterId: 'c1',
          type: 'assistant',
          parentMessageId: 'm1',
          createdAt: '2025-01-01T00:00:02Z',
          items: [{ id: 'i2' }, { id: 'i3' }],
        },
        m1: { id: 'm1', characterId: 'USER', type: 'user', createdAt: '2025-01-01T00:00:01Z', items: [{ id: 'i1' }] },
      },
      items: {
        i1: { data: { type: 'message', content: [{ type: 'input_text', text: 'Which river?' }] } },
        i2: { data: { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Maybe the Elbe' }] } },
        i3: { data: { type: 'message', content: [{ type: 'output_text', text: 'The Elbe.' }] } },
      },
    },
    ['user: Which river?', 'assistant: The Elbe.'],
  ],
  [
    'librechat',
    {
      conversationId: 'l-1',
      title: 'Rivers',
      messages: [
        {
          messageId: 'a',
          parentMessageId: '00000000-0000-0000-0000-000000000000',
          isCreatedByUser: true,
          text: 'Which river?',
        },
        {
          messageId: 'b',
          parentMessageId: 'a',
          isCreatedByUser: false,
          model: 'gpt-5',
          createdAt: '2025-01-01T00:00:00Z',
          content: [
            { type: 'tool_call', tool_call: { id: 't', name: 'look', args: '{"n":1}', output: 'wet' } },
            { type: 'text', text: { value: 'The Elbe.' } },
          ],
        },
      ],
    },
    ['user: Which river?', 'assistant: ', 'tool: wet', 'assistant: The Elbe.'],
  ],
  [
    'open-webui',
    [
      {
        id: 'w-1',
        title: 'Rivers',
        updated_at: 1735689700,
        chat: {
          history: {
            currentId: 'b',
            messages: {
              a: user('a', null, 'Which river?'),
              b: {
                ...user(
                  'b',
                  'a',
                  '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> Hm\n</details>\nThe Elbe.',
                ),
                role: 'assistant',
                model: 'llama',
              },
              c: { ...user('c', 'a', 'The Rhine.'), role: 'assistant' },
            },
          },
        },
      },
    ],
    ['user: Which river?', 'assistant: The Elbe.'],
  ],
  [
    'lm-studio',
    {
      name: 'Rivers',
      createdAt: 1735689600000,
      systemPrompt: 'Be brief.',
      messages: [
        {
          currentlySelected: 0,
          versions: [{ type: 'singleStep', role: 'user', content: [{ type: 'text', text: 'Which river?' }] }],
        },
        {
          currentlySelected: 1,
          versions: [
            {
              type: 'multiStep',
              role: 'assistant',
              steps: [{ type: 'contentBlock', content: [{ type: 'text', text: 'The Rhine.' }] }],
            },
            {
              type: 'multiStep',
              role: 'assistant',
              steps: [
                {
                  type: 'contentBlock',
                  genInfo: { identifier: 'qwen' },
                  content: [{ type: 'text', text: 'The Elbe.' }],
                },
              ],
            },
          ],
        },
      ],
    },
    ['system: Be brief.', 'user: Which river?', 'assistant: The Elbe.'],
  ],
];

/** The log of llm: two questions, a system text and an attachment. */
export function writeLlmLog(path: string): void {
  const database = new sqlite.Database(path);
  database.run('CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT)');
  database.run(
    'CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT, input_tokens INTEGER, output_tokens INTEGER)',
  );
  database.run('CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB)');
  database.run('CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER)');
  database.run("INSERT INTO conversations VALUES ('v', 'Rivers', 'gpt-5')");
  const add = (row: (string | number)[]) =>
    database.run('INSERT INTO responses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)', row);
  add(['r2', 'gpt-5', 'And the next?', 'Be brief.', 'The Rhine.', 'v', '2025-01-01T00:00:05.5', 9, 3]);
  add(['r1', 'gpt-5', 'Which river?', 'Be brief.', 'The Elbe.', 'v', '2025-01-01T00:00:00.25', 7, 3]);
  database.run('INSERT INTO attachments VALUES (?, ?, NULL, NULL, ?)', ['h', 'image/png', PIXEL]);
  database.run("INSERT INTO prompt_attachments VALUES ('r1', 'h', 0)");
  database.close();
}
