import { expect, test } from 'vitest';
import { joinCited, numberCitations, readNotes } from './citations.tsx';

const cite = (url: string) => ({ url, native: url });

test('a source that is cited twice has one number, which stands behind the cited words', () => {
  const blocks = [
    { text: 'It rains ', citations: [cite('https://a.example'), cite('https://b.example')] },
    { text: 'a lot.' },
    { text: ' Often.\n', citations: [cite('https://a.example')] },
  ];
  const notes = numberCitations(blocks);
  expect(notes.map((own) => own.map(({ number }) => number))).toEqual([[1, 2], [], [1]]);
  const joined = joinCited(blocks.map(({ text }, at) => ({ text, notes: notes[at]! })));
  expect(joined.replace(/`[^`]+`/g, (span) => `[${readNotes(span.slice(1, -1))!.join()}]`)).toBe(
    'It rains[1,2] a lot. Often.[1]\n',
  );
});
