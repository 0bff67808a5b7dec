import { type Checkpoint, type Message, rangeDigest } from '@skein/core';
import { type AppendPoint, ROOT_POINT } from '../../forest/index.ts';
import type { Turn } from '../read-exchange.ts';
import { extendSent } from './evidence.ts';
import type { SummaryMatch } from './find-reply.ts';
import { sessionKey } from './known-replies.ts';
import type { ThreadMatch } from './placement-rules.ts';
import {
  type IndexNode,
  indexedPath,
  leadsTo,
  placeAt,
  type RecordedIndex,
  recordedThreadId,
} from './recorded-index.ts';
import type { SentHistory } from './sent-history.ts';

/**
 * Clients compact a long history: they ask for a summary of it, send the summary in its place, or leave out its front. What that
 * means for the thread of a request.
 */

/**
 * A request for a summary that takes the place of a conversation is no turn of that conversation: it has a thread of its
 * own beside it.
 */
export function setAside(index: RecordedIndex, match: ThreadMatch, { exchange, hints }: Turn): ThreadMatch {
  const key = sessionKey(hints);
  const isFound = index.threads.has(match.thread);
  const latest = key === undefined ? undefined : index.latest.get(key);
  const sumsUp = isFound ? { thread: match.thread, node: match.place.id } : latest && { thread: latest };
  const { place, matched, by, kept } = match.compaction ? { ...match, place: ROOT_POINT, matched: 0 } : match;
  const thread = recordedThreadId(`exchange\n${exchange.id}`);
  return { thread, place, matched, by, kept, found: 'new', isNamed: true, ...(sumsUp && { sumsUp }) };
}

/**
 * The client sent a summary of a conversation: what comes behind the summary goes below the end of the conversation, and
 * everything before replaces the history. Replies that are sent again beside the summary belong to what replaces it.
 */
export function matchSummary(
  index: RecordedIndex,
  history: SentHistory,
  { thread, node, spot, at }: SummaryMatch,
): ThreadMatch {
  const { messages, lead } = history;
  const { head } = index.threads.get(thread)!;
  // A warm-up may have left the head of the thread before the messages that were summed up.
  const end = node !== undefined && leadsTo(index, head, node) ? node : head;
  const repeated = findRepeated(index, history, at, end) ?? history.replyBefore(messages.length);
  const asked = Math.max(lead, at + 1, repeated + 1);
  const matched = asked < messages.length ? asked : messages.length - 1;
  const found = { thread, place: placeAt(index, end), matched, by: 'exact' as const };
  return {
    ...found,
    found: 'compacted',
    spot: { ...spot, thread, node: end },
    compaction: describeCompaction(index, history, found),
  };
}

/** How many of the last replies of a conversation are looked for behind its summary. */
const MOST_REPEATED = 8;

/** The last reply behind a summary that repeats one of the last replies of the conversation. */
function findRepeated(index: RecordedIndex, history: SentHistory, from: number, end: string): number | undefined {
  const last: IndexNode[] = [];
  for (let node = index.nodes.get(end); node && last.length < MOST_REPEATED; node = index.nodes.get(node.parent))
    if (node.isReply) last.push(node);
  const isSame =
    (message: Message) =>
    ({ place, parent }: IndexNode) => {
      const above = placeAt(index, parent).echo;
      return place.echo.text !== above.text && extendSent(above, message).text === place.echo.text;
    };
  for (let at = history.replyBefore(history.messages.length); at > from; at = history.replyBefore(at))
    if (last.some(isSame(history.messages[at]!))) return at;
  return undefined;
}

/**
 * Describes a compaction by the client: how many messages at the front it left out, and what it sent instead.
 * Continuing the thread sends the same replacement.
 */
export function describeCompaction(
  index: RecordedIndex,
  { messages, lead }: SentHistory,
  { place, matched }: { readonly place: AppendPoint; readonly matched: number },
): Checkpoint {
  const path = indexedPath(index, place.id);
  const leading = path.filter((node) => node.place.echo.leading).length;
  const sent = messages.slice(lead, matched);
  let upTo = path.length;
  let replaced = sent.length;
  while (upTo > leading && replaced > 0 && path[upTo - 1]!.body === sent[replaced - 1]!.facts.digest) {
    upTo -= 1;
    replaced -= 1;
  }
  return {
    upTo,
    digest: rangeDigest(
      path.map(({ body }) => ({ facts: { digest: body } })),
      upTo,
    ),
    replacement: sent.slice(0, replaced).map(({ raw, origin }) => ({ dialect: origin.dialect, raw, origin })),
  };
}
