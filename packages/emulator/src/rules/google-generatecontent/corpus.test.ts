import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgeGoogleGenerateContent } from './judge.ts';

interface Recording {
  readonly id: string;
  readonly protocol: string;
  readonly model: string | null;
  readonly turns: readonly {
    readonly request: Record<string, unknown> | null;
    readonly status?: number;
  }[];
}

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const corpus = process.env.SKEIN_CORPUS ?? join(root, '../shared/corpus');

function recordings(folder: string): readonly Recording[] {
  const path = join(corpus, folder);
  if (!existsSync(path)) return [];
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .map((name): Recording => JSON.parse(readFileSync(join(path, name), 'utf8')))
    .filter(({ protocol }) => protocol === 'google-generatecontent');
}

const judge = (request: Record<string, unknown>, model: string | null) =>
  judgeGoogleGenerateContent({ body: JSON.stringify(request), ...(model !== null && { model }) });

describe('recorded Gemini requests', () => {
  it('accepts every request that the API answered', () => {
    const accepted = recordings('google-generatecontent').flatMap(({ id, model, turns }) =>
      turns.flatMap(({ request, status = 200 }) => (request && status < 300 ? [{ id, model, request }] : [])),
    );
    const note = existsSync(corpus) ? `${accepted.length} recorded requests replayed` : `no corpus at ${corpus}`;
    console.log(`google-generatecontent: ${note}`);
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
