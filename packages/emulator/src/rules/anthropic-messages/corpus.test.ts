import { describe, expect, it } from 'vitest';
import { recordings as allRecordings, succeeded } from '../test-corpus.ts';
import { judgeAnthropicMessages } from './judge.ts';

const recordings = (folder: string) =>
  allRecordings(folder).filter(({ protocol }) => protocol === 'anthropic-messages');

const judge = (request: Record<string, unknown>, path = '') => {
  const hosted = /\/model\/([^/]+)\/invoke/.exec(path)?.[1];
  return judgeAnthropicMessages({ body: JSON.stringify(request), ...(hosted !== undefined && { model: hosted }) });
};

describe('recorded Anthropic requests', () => {
  it('accepts every request that the API answered', () => {
    const accepted = recordings('anthropic-messages').flatMap(({ id, turns }) =>
      turns.filter(succeeded).flatMap(({ request, path }) => (request ? [{ id, request, path }] : [])),
    );
    console.log(`anthropic-messages: ${accepted.length} recorded requests replayed`);
    const refused = accepted.flatMap(({ id, request, path }) => {
      const { refusal } = judge(request, path);
      return refusal ? [`${id}: ${refusal.rule}: ${refusal.message}`] : [];
    });
    expect(refused).toEqual([]);
  });

  it('refuses what the API refused for its shape', () => {
    for (const { turns } of recordings('errors')) {
      for (const { request, path, status } of turns) {
        // 404 is about which models exist, not about the request.
        if (request && status === 400) expect(judge(request, path).refusal?.status).toBe(status);
      }
    }
  });
});
