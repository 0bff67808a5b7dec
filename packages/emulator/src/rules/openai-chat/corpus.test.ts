import { expect, test } from 'vitest';
import { chatDifferences } from '../openai/test-compatible.ts';
import { recordings, succeeded } from '../test-corpus.ts';
import { createOpenAIChatJudge, judgeOpenAIChat } from './judge.ts';

test('every recorded request that was served is accepted, without a warning', () => {
  let replayed = 0;
  for (const { id, provider, turns } of recordings('openai-chat')) {
    const options = chatDifferences[provider];
    const judge = options === undefined ? judgeOpenAIChat : createOpenAIChatJudge(options);
    for (const turn of turns) {
      if (!turn.request || !succeeded(turn)) continue;
      expect(judge({ body: JSON.stringify(turn.request) }), id).toEqual({ refusal: undefined, warnings: [] });
      replayed += 1;
    }
  }
  console.log(`openai-chat: ${replayed} recorded requests replayed`);
});

/** Errors that do not come from the form of the request: unknown models, the model's own failures, limits. */
const notOfForm = new Set(['model_not_found', 'tool_use_failed', 429]);

test('recorded refusals are repeated word for word', () => {
  let replayed = 0;
  for (const { id, protocol, turns } of recordings('errors')) {
    for (const { request, response, status } of turns) {
      if (protocol !== 'openai-chat' || !request) continue;
      const { error } = response as { error: { code: string | number | null } };
      if (error.code !== null && notOfForm.has(error.code)) continue;
      const { refusal } = judgeOpenAIChat({ body: JSON.stringify(request) });
      expect(refusal?.status, id).toBe(status);
      expect(JSON.parse(refusal?.body ?? 'null'), id).toEqual({ error });
      replayed += 1;
    }
  }
  console.log(`openai-chat: ${replayed} recorded refusals replayed`);
});
