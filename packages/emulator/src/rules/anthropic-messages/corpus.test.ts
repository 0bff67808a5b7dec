import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgeAnthropicMessages } from './judge.ts';

interface Recording {
  readonly id: string;
  readonly protocol: string;
  readonly model: string | null;
  readonly turns: readonly {
    readonly path?: string;
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
    .filter(({ protocol }) => protocol === 'anthropic-messages');
}

const judge = (request: Record<string, unknown>, path = '') => {
  const hosted = /\/model\/([^/]+)\/invoke/.exec(path)?.[1];
  return judgeAnthropicMessages({ body: JSON.stringify(request), ...(hosted !== undefined && { model: hosted }) });
};

describe('recorded Anthropic requests', () => {
  it('accepts every request that the API answered', () => {
    const accepted = recordings('anthropic-messages').flatMap(({ id, turns }) =>
      turns.flatMap(({ request, path, status = 200 }) => (request && status < 300 ? [{ id, request, path }] : [])),
    );
    const note = existsSync(corpus) ? `${accepted.length} recorded requests replayed` : `no corpus at ${corpus}`;
    console.log(`anthropic-messages: ${note}`);
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
