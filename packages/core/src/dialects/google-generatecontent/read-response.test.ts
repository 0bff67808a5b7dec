import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../reply.ts';
import { readReply } from './read-response.ts';

describe('readReply', () => {
  it('keeps contents by their exact text and the rest as envelope', () => {
    const first = '{"parts": [{"functionCall": {"name": "f","args": {"n": 1.0}}}],"role": "model","novel":1}';
    const second = '{ "role":"model", "parts":[{"text":"\\u00e9"}] }';
    const body = `{"candidates": [{"content": ${first},"finishReason": "STOP","index": 0}, {"content":${second},"finishReason":"WHIMSY","index":1}],"usageMetadata": {"promptTokenCount": 10,"cachedContentTokenCount": 4,"candidatesTokenCount": 3,"thoughtsTokenCount": 2,"toolUsePromptTokenCount": 5},"modelVersion": "gemini-3-pro"}`;
    expect(readReply(body)).toEqual({
      choices: [
        { raw: first, stop: { reason: 'tool-use', native: 'STOP' } },
        { raw: second, stop: { reason: 'unknown', native: 'WHIMSY' } },
      ],
      usage: expect.objectContaining({ input: 11, cacheRead: 4, output: 3, reasoning: 2 }),
      envelope: body.replace(first, 'null').replace(second, 'null'),
      model: 'gemini-3-pro',
    });
  });

  it('makes an empty message of a blocked prompt', () => {
    const body = '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"modelVersion":"m"}';
    expect(readReply(body)).toMatchObject({
      choices: [{ raw: '{"role":"model","parts":[]}', stop: { reason: 'filter', native: 'PROHIBITED_CONTENT' } }],
      envelope: body,
    });
  });

  it.each([
    ['{"candidates":[{"finishReason":"MODEL_ARMOR"}]}', '{"role":"model","parts":[]}', 'filter'],
    ['{"candidates":[{"content":{},"finishReason":"SAFETY"}]}', '{}', 'filter'],
    ['{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}]}', '{"role":"model"}', 'length'],
    [
      '{"candidates":[{"content":{"parts":[{"text":"x"}]},"finishReason":"STOP"}]}',
      '{"parts":[{"text":"x"}],"role":"model"}',
      'end',
    ],
  ])('%s', (body, raw, reason) => {
    expect(readReply(body).choices).toMatchObject([{ raw, stop: { reason } }]);
  });

  it.each([
    '{"error":{"code":400,"message":"no"}}',
    '[]',
    '{}',
    '{"choices":[]}',
    '{"candidates":[],"usageMetadata":{}}',
    '{"promptFeedback":{},"modelVersion":"m"}',
  ])('is no response: %s', (body) => {
    expect(() => readReply(body)).toThrow(ProtocolError);
  });
});
