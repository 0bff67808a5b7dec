import { describe, expect, test } from 'vitest';
import type { Protocol } from '../src/index.ts';
import { chatDifferences, responsesDifferences } from '../src/rules/openai/test-compatible.ts';
import { type Recording, recordings, succeeded, type Turn } from '../src/rules/test-corpus.ts';
import { paths, post, start } from './support.ts';

/** Recordings of whole responses without their requests, polls and compactions are no generations. */
function isGeneration({ path = '', request }: Turn): boolean {
  return request !== null && request !== undefined && !/\/responses\/./.test(path);
}

/** The path under the provider's own name, so that each has its differences and its memory. */
function pathOf(protocol: Protocol, { provider, model }: Recording, { path = '' }: Turn): string {
  const issuer = ['openai', 'anthropic', 'google'].includes(provider) ? '' : `/${provider}`;
  if (path.includes('/invoke') || protocol === 'bedrock-converse') return issuer + path.replace(/-stream$/, '');
  const name = /models\/([^/:]+):/.exec(path)?.[1] ?? model ?? 'gemini-2.5-flash';
  return issuer + (protocol === 'google-generatecontent' ? `/v1beta/models/${name}:generateContent` : paths[protocol]);
}

const issuers = (protocol: Protocol) => (protocol === 'openai-chat' ? chatDifferences : responsesDifferences);

describe('every recorded request that was served', () => {
  const protocols: readonly Protocol[] = [
    'anthropic-messages',
    'openai-chat',
    'openai-responses',
    'google-generatecontent',
    'bedrock-converse',
    'cohere-chat',
  ];
  test.each(protocols)('%s: is accepted by the running emulator', async (protocol) => {
    const emulator = await start({ issuers: issuers(protocol) });
    const refused: string[] = [];
    let accepted = 0;
    for (const recording of recordings(protocol)) {
      for (const turn of recording.turns) {
        if (!isGeneration(turn) || !succeeded(turn)) continue;
        const body = JSON.stringify(turn.request);
        const path = pathOf(protocol, recording, turn);
        emulator.trust(protocol, body, /^\/(.+?)\/(?:v1|v1beta|model)\b/.exec(path)?.[1] ?? '');
        // Clouds have keys of their own.
        const headers = path.includes('/model/') ? { authorization: 'Bearer k' } : {};
        const response = await post(emulator, protocol, body, { path, headers });
        const answer = await response.text();
        if (response.status === 200) accepted += 1;
        else refused.push(`${recording.id}: ${emulator.log.at(-1)?.verdict.refusal?.rule}: ${answer}`);
      }
    }
    console.log(`${protocol}: ${accepted} recorded requests accepted over HTTP`);
    expect(refused).toEqual([]);
  });
});
