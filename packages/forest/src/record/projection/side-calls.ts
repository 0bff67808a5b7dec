import { findOpening } from '../../forest/index.ts';
import type { Turn } from '../read-exchange.ts';

/**
 * Requests that programs make on the side: for a title, a summary or the quota, to warm a cache, to choose a model.
 * They are recognised by typical words, recorded like all others, and folded away in lists.
 */
const SYSTEM_WORDS: readonly RegExp[] = [
  // Only titles of conversations: an application that writes titles of other things talks to people.
  /\b(?:generate|write|create|come up with) an?\b.{0,80}\btitle\b.{0,120}\b(?:conversation|chat|session|thread)\b/is,
  /\btitle generator\b/i,
  /\bindicates? a new conversation topic\b/i,
  /\bTask Routing AI\b/i,
  /\bclassif(?:y|ies|ier)\b.{0,80}\b(?:complexity|request|prompt)\b/is,
  /\bsummari[sz]e this (?:coding )?conversation in (?:under|less than|at most)\b/i,
];

/** Requests for the summary that a program sends in place of the history from then on: of pi, OpenCode and Gemini CLI. */
const SUMMARY_SYSTEMS: readonly RegExp[] = [
  /\bcontext summari[sz]ation (?:assistant|agent)\b/i,
  /\bdistilling chat history into\b/i,
];

/** Of Claude Code and Codex, which ask within the conversation. */
const SUMMARY_QUESTIONS: readonly RegExp[] = [
  /\byour task is to create a detailed summary of (?:the|this|our) conversation\b/i,
  /\byou are performing a context checkpoint compaction\b/i,
];

/** The item by which OpenAI's API is asked to compact a conversation. */
const SUMMARY_ITEM = /^\s*\{\s*"type"\s*:\s*"compaction_trigger"/;

/** Probes send the tools of the session; without them they would warm another cache. */
const PROBES: readonly RegExp[] = [/^quota$/i, /^warm-?up$/i];

const QUESTIONS: readonly RegExp[] = [
  /^(?:please )?(?:generate|write) a (?:short |concise )?title for this conversation\b/i,
  /^please write a 5-10 word title\b/i,
  /^provide a concise, 5-word-or-less title\b/i,
  /^### Task:\s(?:generate|suggest|analy[sz]e)\b.{0,120}\b(?:chat|conversation)\b/is,
  /^summari[sz]e this (?:coding )?conversation in (?:under|less than|at most) \d/i,
];

/** Whether a program asks for a summary that it will send in place of the history. */
export function isSummaryCall({ lead, messages, tools }: Turn): boolean {
  if (tools.length === 0 && lead.some(({ text }) => hasAny(text, SUMMARY_SYSTEMS))) return true;
  const last = messages.at(-1);
  if (last?.role === 'other') return SUMMARY_ITEM.test(last.raw);
  if (last?.role !== 'user') return false;
  return last.content.some((block) => block.type === 'text' && hasAny(block.text, SUMMARY_QUESTIONS));
}

/**
 * Recognised by its instructions, or by its question if that is the only one. A conversation that was continued is no
 * side call.
 */
export function isSideCall(turn: Turn): boolean {
  const { lead, messages, tools } = turn;
  if (isSummaryCall(turn)) return true;
  if (tools.length === 0 && lead.some(({ text }) => hasAny(text, SYSTEM_WORDS))) return true;
  const spoken = messages.filter(({ role }) => role !== 'system');
  if (spoken.length > 3 || spoken.some(({ role }) => role === 'assistant')) return false;
  const { opening: question } = findOpening(spoken);
  return hasAny(question, PROBES) || (tools.length === 0 && hasAny(question, QUESTIONS));
}

/** Only the beginning of a text is searched; instructions state their purpose there. */
const LOOKED_AT = 2000;

function hasAny(text: string, patterns: readonly RegExp[]): boolean {
  const front = text.trim().slice(0, LOOKED_AT);
  return patterns.some((pattern) => pattern.test(front));
}
