/** Messages as the AI SDK keeps them for a page: a file, a thought, two calls, data. */
export const uiChat = [
  {
    id: 'u1',
    role: 'user',
    parts: [
      { type: 'text', text: 'Hi' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==', filename: 'x.png' },
    ],
  },
  {
    id: 'a1',
    role: 'assistant',
    metadata: { took: 3 },
    parts: [
      { type: 'step-start' },
      { type: 'reasoning', text: 'Two calls' },
      { type: 'tool-weather', toolCallId: 't1', state: 'output-available', input: { city: 'Oslo' }, output: { c: 4 } },
      {
        type: 'dynamic-tool',
        toolName: 'time',
        toolCallId: 't2',
        state: 'output-error',
        input: {},
        errorText: 'no clock',
      },
      { type: 'step-start' },
      { type: 'data-chart', data: [1] },
      { type: 'text', text: 'Four degrees.', state: 'done' },
    ],
  },
];
