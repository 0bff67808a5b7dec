import { describe, expect, it } from 'vitest';
import { recordings as allRecordings, succeeded } from '../test-corpus.ts';
import { judgeGoogleGenerateContent } from './judge.ts';

const recordings = (folder: string) =>
  allRecordings(folder).filter(({ protocol }) => protocol === 'google-generatecontent');

const judge = (request: unknown, model: string | null = null) =>
  judgeGoogleGenerateContent({ body: JSON.stringify(request), ...(model !== null && { model }) });

describe('recorded Gemini requests', () => {
  it('accepts every request that the API answered', () => {
    const accepted = recordings('google-generatecontent').flatMap(({ id, model, turns }) =>
      turns.filter(succeeded).flatMap(({ request }) => (request ? [{ id, model, request }] : [])),
    );
    console.log(`google-generatecontent: ${accepted.length} recorded requests replayed`);
    const refused = accepted.flatMap(({ id, model, request }) => {
      const { refusal } = judge(request, model);
      return refusal ? [`${id}: ${refusal.rule}: ${refusal.message}`] : [];
    });
    expect(refused).toEqual([]);
  });

  it('knows that the recorded refusals are about URLs and model names, not about the shape', () => {
    for (const { model, turns } of recordings('errors')) {
      for (const { request } of turns) if (request) expect(judge(request, model).refusal).toBeUndefined();
    }
  });
});
