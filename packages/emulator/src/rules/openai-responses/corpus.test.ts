import { expect, test } from 'vitest';
import { isObject, type Json } from '../../json.ts';
import { responsesDifferences } from '../openai/test-compatible.ts';
import { recordings, succeeded } from '../test-corpus.ts';
import { createOpenAIResponsesJudge, judgeOpenAIResponses } from './judge.ts';

const isCreate = (path: string | undefined): boolean => path === undefined || path.endsWith('/responses');

test('every recorded request that was served is accepted, without a warning', () => {
  let replayed = 0;
  for (const { id, provider, turns } of recordings('openai-responses')) {
    const differences = responsesDifferences[provider];
    const judge = differences === undefined ? judgeOpenAIResponses : createOpenAIResponsesJudge(differences);
    for (const turn of turns) {
      if (!turn.request || !isCreate(turn.path) || !succeeded(turn)) continue;
      expect(judge({ body: JSON.stringify(turn.request) }), id).toEqual({ refusal: undefined, warnings: [] });
      replayed += 1;
    }
  }
  console.log(`openai-responses: ${replayed} recorded requests replayed`);
});

const openCalls = (output: readonly Json[]) => output.filter(({ type }) => type === 'function_call');

test('a reply that is sent back whole is accepted', () => {
  let replayed = 0;
  for (const { id, provider, turns } of recordings('openai-responses')) {
    for (const { request, response, path } of turns) {
      if (provider !== 'openai' || !isCreate(path) || !isObject(response) || !Array.isArray(response.output)) continue;
      const sent = isObject(request) && Array.isArray(request.input) ? request.input : [];
      const output = response.output.filter(isObject);
      const answers = openCalls(output).map(({ call_id }) => ({ type: 'function_call_output', call_id, output: '' }));
      // A reply that ends in reasoning (cut off, or still running) cannot go back as it is.
      if (output.length === 0 || output.at(-1)?.type === 'reasoning') continue;
      const input = [...sent, ...output, ...answers, { role: 'user', content: 'Go on.' }];
      const chain = isObject(request) ? request.previous_response_id : undefined;
      const body = JSON.stringify({ model: 'gpt-5', input, ...(chain ? { previous_response_id: chain } : {}) });
      expect(judgeOpenAIResponses({ body }).refusal, id).toBeUndefined();
      replayed += 1;
    }
  }
  console.log(`openai-responses: ${replayed} recorded replies sent back`);
});

/** Not of the form: unknown models, a fetched file, a quota; DeepSeek wants outputs beside their calls. */
const notOfForm = new Set<unknown>([
  'model_not_found',
  'unsupported_file',
  'insufficient_quota',
  'invalid_request_error',
]);

test('recorded refusals are repeated word for word', () => {
  let replayed = 0;
  for (const { id, protocol, turns } of recordings('errors')) {
    for (const { request, response, status } of turns) {
      if (protocol !== 'openai-responses' || !request) continue;
      const { error } = response as { error: Json };
      if (notOfForm.has(error.code)) continue;
      const { refusal } = judgeOpenAIResponses({ body: JSON.stringify(request) });
      expect(refusal?.status, id).toBe(status);
      expect(JSON.parse(refusal?.body ?? 'null'), id).toEqual({ error });
      replayed += 1;
    }
  }
  console.log(`openai-responses: ${replayed} recorded refusals replayed`);
});
