import { describe, expect, it } from 'vitest';
import { toldIn } from '../../../test/properties/told.ts';
import { textAt } from '../../json/index.ts';
import { assemble } from './read-stream.ts';

const event = (parts: string, more = '') =>
  `{"candidates": [{"content": {"parts": ${parts},"role": "model"}${more},"index": 0}],"usageMetadata": {"promptTokenCount": 3},"modelVersion": "m"}`;

function run(...events: string[]) {
  const assembler = assemble();
  const told = events.flatMap((data) => assembler.push(undefined, data));
  const deltas = toldIn(told);
  return { told: deltas, ...assembler.finish() };
}

describe('a stream', () => {
  it('keeps every part in its exact text', () => {
    const { told, choices, cut, model, usage } = run(
      event('[{"text": "Caf\\u00e9 \\"parts\\": ["}]'),
      event(
        '[{"text": "b"}, {"functionCall": {"id": "c1","name": "f","args": {"n": 1.0}},"thoughtSignature": "a+/="}]',
      ),
      event('[{"text": ""}]', ',"finishReason": "STOP"'),
    );
    expect(choices).toEqual([
      {
        raw: '{"parts":[{"text": "Caf\\u00e9 \\"parts\\": ["},{"text": "b"},{"functionCall": {"id": "c1","name": "f","args": {"n": 1.0}},"thoughtSignature": "a+/="},{"text": ""}],"role":"model"}',
        stop: { reason: 'tool-use', native: 'STOP' },
      },
    ]);
    expect(told).toEqual([
      { type: 'text', text: 'Café "parts": [' },
      { type: 'text', text: 'b' },
      { type: 'tool-use', index: 0, id: 'c1', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"n": 1.0}' },
    ]);
    expect({ cut, model, input: usage?.input }).toEqual({ cut: false, model: 'm', input: 3 });
  });

  it('finds the parts wherever they stand', () => {
    const odd = [
      '{"novel":{"parts":["wrong"]},"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}',
      '{"candidates":[{"index":0,"note":{"parts":[]},"content":{"role":"x \\"parts\\"","parts":[{"text":"b"}]}}]}',
      '{"candidates":[{"content":{"extra":{"parts":[1]},"parts":{"text":"c"},"role":"model"}}]}',
      '{"candidates":[{"content":{"parts":[{"text":"d"}]},"finishReason":"STOP"}]}',
    ];
    const { choices, envelope } = run(...odd);
    expect(choices[0]?.raw).toBe(
      '{"role":"model","parts":[{"text":"a"},{"text":"b"},{"text":"c"},{"text":"d"}],"extra":{"parts":[1]}}',
    );
    expect(envelope).toBe(
      '{"novel":{"parts":["wrong"]},"candidates":[{"content":null,"index":0,"note":{"parts":[]},"finishReason":"STOP"}]}',
    );
  });

  it('lets later values replace earlier ones, unless they are blank, and appends log probabilities', () => {
    const { envelope } = run(
      event(
        '[{"text":"a"}]',
        ',"groundingMetadata":{"q":[1]},"logprobsResult":{"chosenCandidates":[{"token":"a","logProbability":-1.0}]}',
      ),
      event(
        '[{"text":"b"}]',
        ',"finishReason":"STOP","groundingMetadata":{},"logprobsResult":{"chosenCandidates":[{"token":"b"}]}',
      ),
    );
    expect(textAt(envelope, ['candidates', 0])).toBe(
      '{"content":null,"groundingMetadata":{"q":[1]},"logprobsResult":{"chosenCandidates":[{"token":"a","logProbability":-1.0},{"token":"b"}]},"index":0,"finishReason":"STOP"}',
    );
  });

  it('keeps candidates apart and tells of the first', () => {
    const both = (a: string, b: string, end = '') =>
      `{"candidates":[{"content":{"parts":[{"text":"${b}"}],"role":"model"},"index":1${end}},{"content":{"parts":[{"text":"${a}"}],"role":"model"}${end}}]}`;
    const { told, choices } = run(both('a1', 'b1'), both('a2', 'b2', ',"finishReason":"STOP"'));
    expect(told.map((said) => said.type === 'text' && said.text)).toEqual(['a1', 'a2']);
    expect(choices.map(({ raw }) => raw)).toEqual([
      '{"parts":[{"text":"a1"},{"text":"a2"}],"role":"model"}',
      '{"parts":[{"text":"b1"},{"text":"b2"}],"role":"model"}',
    ]);
  });

  it('tells the arguments of a call in pieces when it is complete, and keeps the pieces as they came', () => {
    const { told, choices } = run(
      event('[{"functionCall":{"name":"f", "willContinue":true}}]'),
      event(
        '[{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"x","willContinue":true}],"willContinue":true}}]',
      ),
      event('[{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"y"}],"willContinue":true}}]'),
      event('[{"functionCall":{}}]', ',"finishReason":"STOP"'),
    );
    expect(told).toEqual([
      { type: 'tool-use', index: 0, id: '', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '{"a":"xy"}' },
    ]);
    expect(choices[0]?.raw).toBe(
      '{"parts":[{"functionCall":{"name":"f", "willContinue":true}},' +
        '{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"x","willContinue":true}],"willContinue":true}},' +
        '{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"y"}],"willContinue":true}},' +
        '{"functionCall":{}}],"role":"model"}',
    );
  });
});

describe('a stream that ends badly', () => {
  it('is cut before its finish reason', () => {
    const { choices, cut } = run(event('[{"text":"a"}]'));
    expect({ cut, choices }).toEqual({
      cut: true,
      choices: [{ raw: '{"parts":[{"text":"a"}],"role":"model"}', stop: { reason: 'cut', native: undefined } }],
    });
    expect(run()).toMatchObject({ cut: true, envelope: '{}', choices: [{ raw: '{"role":"model","parts":[]}' }] });
  });

  it('reports an error and keeps it', () => {
    const error = '{"error":{"code":503,"message":"Overloaded.","status":"UNAVAILABLE"}}';
    const { told, choices, cut, envelope } = run(event('[{"text":"a"}]'), error);
    expect(told[1]).toEqual({ type: 'error', message: 'Overloaded.', native: error });
    expect({ cut, stop: choices[0]?.stop }).toEqual({ cut: true, stop: { reason: 'error', native: 'UNAVAILABLE' } });
    expect(textAt(envelope, ['unread_events'])).toBe(`[{"data":${error}}]`);
  });

  it('keeps what it cannot read and goes on', () => {
    const deep = `{"candidates":[{"content":{"parts":[${'['.repeat(600)}${']'.repeat(600)}]}}]}`;
    const { told, envelope, choices } = run('oops', '{"novel":1}', '[]', deep, event('[{"text":"a"}]'));
    expect(told.map(({ type }) => type)).toEqual(['unknown', 'unknown', 'unknown', 'unknown', 'text']);
    expect(textAt(envelope, ['unread_events'])).toBe(
      `[{"data":"oops"},{"data":{"novel":1}},{"data":[]},{"data":${JSON.stringify(deep)}}]`,
    );
    expect(choices[0]?.raw).toBe('{"parts":[{"text":"a"}],"role":"model"}');
  });

  it('is not cut when the prompt was blocked', () => {
    const { choices, cut } = run('{"promptFeedback":{"blockReason":"SAFETY"},"modelVersion":"m"}');
    expect({ cut, stop: choices[0]?.stop }).toEqual({ cut: false, stop: { reason: 'filter', native: 'SAFETY' } });
  });
});
