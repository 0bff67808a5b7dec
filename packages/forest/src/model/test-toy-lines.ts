/** A provider whose streams have one event per line, for tests of framings that are not SSE. */
import { type ProviderDescriptor, provider } from '@skein/core';
import type { Framing } from '@skein/core/dialect';

/** One event per line. */
const lines: Framing = {
  contentTypes: ['application/jsonl'],
  split(push) {
    let rest = '';
    const end = () => {
      if (rest !== '') push(undefined, rest);
      rest = '';
    };
    return {
      push(text) {
        const parts = (rest + text).split('\n');
        rest = parts.pop()!;
        for (const part of parts) push(undefined, part);
      },
      end,
    };
  },
};

export const TOY_LINES = 'toy-lines';

/** Its description, for `defineProvider`. */
export function toyLinesProvider(): ProviderDescriptor {
  const base = provider('openai-compatible');
  return {
    ...base,
    id: TOY_LINES,
    issuer: 'lines.example',
    connection: { ...base.connection!, baseUrl: 'https://lines.example' },
    endpoints: [{ operation: 'ask', method: 'POST', path: /\/say$/ }],
    framing: lines,
  };
}

/** A streamed answer, without its end if it is cut. */
export function toyLines(texts: readonly string[], isWhole = true): string {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `${JSON.stringify({ id: 'c1', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n`;
  const words = texts.map((content) => chunk({ content }));
  return [chunk({ role: 'assistant', content: '' }), ...words, ...(isWhole ? [chunk({}, 'stop')] : [])].join('');
}
