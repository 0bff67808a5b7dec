/** The betas that a request has to name because of what it contains. Loaded with the first request. */
import { elementTexts, findMembers, isObject, type JsonObject, parseJson, textAt } from '../../json/index.ts';
import { ListFold } from '../../message/message.ts';
import type { RequestHeaders } from '../dialect.ts';
import { DIALECT } from './provider.ts';
import { isSignedSummary } from './rules.ts';

const HEADER = 'anthropic-beta';
const SUMMARY = 'compact-2026-09-04';
const COMPACTION = 'compact-2026-01-12';

/** By the members of a request. */
const MEMBERS: Readonly<Record<string, string>> = {
  diagnostics: 'cache-diagnosis-2026-04-07',
  fallbacks: 'server-side-fallback-2026-07-01',
  fallback_credit_token: 'fallback-credit-2026-07-01',
  context_management: 'context-management-2025-06-27',
  compaction: SUMMARY,
};

/** By what a system message inside the conversation contains. */
const CHANGES: readonly (readonly [pattern: RegExp, beta: string])[] = [
  [/"tool_(?:addition|removal)"/, 'mid-conversation-tool-changes-2026-07-01'],
  [/"tool_definition"/, 'inline-tools-2026-09-15'],
  [/"clear_at"/, 'mid-conversation-system-clear-at-2026-08-21'],
  [/"output_config"/, 'mid-conversation-output-config-2026-07-01'],
];

/** What the messages of this API need. A history is looked through once, while it grows. */
const needed = new ListFold<Set<string>>(
  () => new Set(),
  (betas, { raw, role, origin }) => {
    if (origin.dialect !== DIALECT) return;
    if (role === 'system') for (const [pattern, beta] of CHANGES) if (pattern.test(raw)) betas.add(beta);
    if (role !== 'assistant' || !raw.includes('"compaction"')) return;
    for (const text of elementTexts(textAt(raw, ['content']) ?? '[]')) {
      const block = parseJson(text);
      if (isObject(block) && block.type === 'compaction') betas.add(isSignedSummary(block) ? SUMMARY : COMPACTION);
    }
  },
);

export const findHeaders: RequestHeaders = (messages, tail) => {
  const params = `{"messages":[${tail}`;
  const own = findMembers(params).flatMap(({ name, start, end }) => {
    const beta = MEMBERS[name];
    if (beta === undefined) return [];
    return name === 'context_management' ? [beta, ...editBetas(parseJson(params.slice(start, end)))] : [beta];
  });
  const betas = [...new Set([...own, ...needed.fold(messages)])];
  return betas.length > 0 ? { [HEADER]: betas.join() } : {};
};

function editBetas(value: unknown): string[] {
  const { edits } = (isObject(value) ? value : {}) as JsonObject;
  return Array.isArray(edits) && JSON.stringify(edits).includes('"compact_') ? [COMPACTION] : [];
}
