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
  // pi asks for a summary without the id of its session when it compacts it.
  /\bcontext summari[sz]ation assistant\b/i,
];

/** Probes send the tools of the session; without them they would warm another cache. */
const PROBES: readonly RegExp[] = [/^quota$/i, /^warm-?up$/i];

const QUESTIONS: readonly RegExp[] = [
  /^(?:please )?(?:generate|write) a (?:short |concise )?title for this conversation\b/i,
  /^please write a 5-10 word title\b/i,
  /^provide a concise, 5-word-or-less title\b/i,
  /^### Task:\s+(?:generate|suggest|analy[sz]e)\b.{0,120}\b(?:chat|conversation)\b/is,
  /^summari[sz]e this (?:coding )?conversation in (?:under|less than|at most) \d+/i,
];

/**
 * Recognised by its instructions, or by its question if that is the only one. A conversation that was continued is no
 * side call.
 */
export function isSideCall({ lead, messages, tools }: Turn): boolean {
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
