/** The rules of prompt caches explain the usage that vendors reported in recorded traffic. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dialect, type Usage } from '@skein/core';
import { bedrockConverse } from '@skein/core/dialect';
import { expect, test } from 'vitest';
import { cacheRules } from '../src/caching/cache-rules.ts';
import { readCachedRequest } from '../src/caching/compare-requests.ts';
import { diagnose, type EarlierRequest, promptTokens, type RequestFacts } from '../src/caching/diagnosis.ts';
import { findFraming } from '../src/model/dialects.ts';
import { readReply } from '../src/record/read-exchange.ts';

const FOLDER = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));
const PROTOCOLS = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generatecontent',
  bedrockConverse.id,
];
const NAMES: Readonly<Record<string, string>> = { 'google-vertex': 'vertex', azure: 'azure-openai' };

interface Recording {
  readonly provider: string;
  readonly model?: string | null;
  readonly turns: readonly Turn[];
}

interface Turn {
  readonly request?: { readonly model?: string } | null;
  readonly requestText?: string;
  readonly response?: unknown;
  readonly responseText?: string;
  readonly sse?: string | null;
  readonly eventstreamBase64?: string;
  readonly status?: number;
  readonly echoes?: readonly { readonly turn: number; readonly via: string }[];
}

function readUsage(protocol: string, turn: Turn): Usage | undefined {
  const spoken = dialect(protocol);
  const text =
    turn.responseText ?? (turn.response ? JSON.stringify(turn.response) : undefined) ?? turn.sse ?? undefined;
  const response = text ?? (turn.eventstreamBase64 ? Buffer.from(turn.eventstreamBase64, 'base64') : undefined);
  return response === undefined ? undefined : readReply(spoken, findFraming(spoken, undefined), response, {}).usage;
}

test.skipIf(!existsSync(FOLDER))('what vendors reported of their caches fits the rules', () => {
  const counts = { turns: 0, cached: 0, followUps: 0 };
  const causes: Record<string, number> = {};
  const broken: string[] = [];
  const alone: string[] = [];
  const elsewhere: string[] = [];
  for (const protocol of PROTOCOLS)
    for (const file of readdirSync(join(FOLDER, protocol))) {
      const {
        provider: given,
        model: named,
        turns,
      } = JSON.parse(readFileSync(join(FOLDER, protocol, file), 'utf8')) as Recording;
      const provider = NAMES[given] ?? given;
      const seen: (EarlierRequest | undefined)[] = [];
      for (const [index, turn] of turns.entries()) {
        const usage = turn.status === 200 || turn.status === undefined ? readUsage(protocol, turn) : undefined;
        const body = turn.requestText ?? (turn.request ? JSON.stringify(turn.request) : '');
        const request = readCachedRequest(body, {}, ['previous_response_id', 'conversation']);
        const model = turn.request?.model ?? named ?? '';
        const start = index * 1000;
        const facts: RequestFacts = {
          exchange: `${file}#${index}`,
          thread: file,
          node: undefined,
          start,
          firstByte: start + 1,
          provider,
          model,
          app: '',
          tags: [],
          usage,
        };
        seen.push(usage && request && { facts, request, isSameThread: true, headTokens: undefined });
        if (!usage) continue;
        counts.turns++;
        const rules = cacheRules(provider, model);
        const { cacheRead, cacheWrite5m, cacheWrite1h } = usage;
        const written = cacheWrite5m + cacheWrite1h;
        const before = turn.echoes?.map((echo) => seen[echo.turn]).findLast((one) => one !== undefined);
        if (cacheRead + written > 0) {
          counts.cached++;
          const isAllowed =
            rules.kind !== 'none' &&
            cacheRead + written >= (rules.seen ?? rules.minimum) &&
            (rules.kind !== 'automatic' || cacheRead % rules.increment === 0);
          const isMarked = request?.elements.some(({ marker }) => marker !== undefined);
          if (rules.kind === 'marked' && isMarked === false) broken.push(`${file}#${index}: cached without a marker`);
          if (!isAllowed) broken.push(`${file}#${index}: ${given}/${model} read ${cacheRead}, wrote ${written}`);
          if (!before) alone.push(`${file}#${index}`);
        }
        if (!before || !request) continue;
        counts.followUps++;
        const { cause, tokens } = diagnose(facts, request, before);
        causes[cause] = (causes[cause] ?? 0) + 1;
        if (cause === 'provider' && rules.kind !== 'automatic')
          broken.push(`${file}#${index}: nothing explains the miss`);
        // A cache can give back a prompt and its answer. More than that was put there by a request that was not recorded.
        const { output, reasoning } = before.facts.usage!;
        if (cacheRead > promptTokens(before.facts.usage!) + output + reasoning) elsewhere.push(`${file}#${index}`);
        if (tokens.read > tokens.prompt) broken.push(`${file}#${index}: read more than it sent`);
      }
    }
  console.log(
    `Caches in ${counts.turns} recorded turns: ${counts.cached} read or wrote; ${counts.followUps} follow another turn:`,
    causes,
  );
  console.log(
    `${alone.length} cached turns have no recorded predecessor: their size and markers fit the rules: ${alone.join(', ')}`,
  );
  expect(elsewhere).toEqual([]);
  expect(broken).toEqual([]);
  expect(counts.cached).toBeGreaterThan(40);
  expect(counts.followUps).toBeGreaterThan(150);
});
