import type { Message } from '@skein/core';
import { allItems, type Forest, findOpening, openingGroupId, readMessage, type Thread } from '../../forest/index.ts';
import { ROOT } from '../../model/ids.ts';
import type { NodeRecord } from '../../model/records.ts';
import type { ImportedMessage } from '../importer.ts';

/** Where the messages of a log are already, because the session was recorded while it ran. */
export interface SessionMeeting {
  /** The recorded thread that has most of them. */
  readonly thread: Thread;
  /** The nodes, by the keys of the messages. */
  readonly nodes: ReadonlyMap<string, string>;
}

/** How many recorded messages may stand between two of a log: programs add reminders that logs do not have. */
const MOST_BETWEEN = 6;

/**
 * Finds the messages of a log among the recorded threads of its session. They meet by the ids of calls, and by their words
 * behind messages that met. A log has no system text and no reminders; the wire has them. Of programs that send no id of
 * their session, threads with the same first words are taken that have a call of the log.
 */
export async function meetRecorded(
  forest: Forest,
  session: string,
  messages: readonly ImportedMessage[],
  before?: { readonly nodes: Pick<ReadonlyMap<string, string>, 'get'>; readonly opening?: string | undefined },
): Promise<{ readonly met?: SessionMeeting; readonly opening: string | undefined }> {
  const own = await recordedIn(forest, session);
  const opening = before ? before.opening : openingGroupId(findOpening(messages.map((one) => one.message)).opening);
  const alike = own.length > 0 ? undefined : opening;
  const recorded = new RecordedNodes();
  const threads: Thread[] = [];
  for (const thread of alike === undefined ? own : await recordedIn(forest, alike)) {
    const nodes = new RecordedNodes();
    await nodes.add(forest, thread);
    if (alike !== undefined && !messages.some(({ message }) => nodes.findCaller(message) !== undefined)) continue;
    threads.push(thread);
    await recorded.add(forest, thread);
  }
  const nodes = new Map<string, string>();
  for (const { key, parent, message } of messages) {
    const above = parent === undefined ? ROOT : (nodes.get(parent) ?? before?.nodes.get(parent));
    const node = recorded.find(message, above);
    if (node !== undefined) nodes.set(key, node);
  }
  if (nodes.size === 0) return { opening };
  return { met: { thread: recorded.threadWithMost(threads, new Set(nodes.values())), nodes }, opening };
}

async function recordedIn(forest: Forest, group: string): Promise<Thread[]> {
  const threads: Thread[] = [];
  for await (const thread of allItems((page) => forest.threads.inGroup(group, page)))
    if (thread.recorded) threads.push(thread);
  return threads;
}

/** The nodes of recorded threads, to be found by what they say. */
class RecordedNodes {
  readonly #nodes = new Map<string, { readonly record: NodeRecord; readonly message: Message }>();
  readonly #children = new Map<string, string[]>();
  readonly #callers = new Map<string, string>();
  readonly #paths = new Map<string, readonly string[]>();

  async add(forest: Forest, { id, head }: Thread): Promise<void> {
    const path = await forest.store.path(head);
    this.#paths.set(
      id,
      path.map((record) => record.id),
    );
    const fresh = path.filter((record) => !this.#nodes.has(record.id));
    const texts = await forest.store.bodies(fresh.map(({ body }) => body));
    for (const [index, record] of fresh.entries()) {
      if (texts[index] === undefined) continue;
      this.#nodes.set(record.id, { record, message: readMessage(forest.store, record, texts[index], []) });
      this.#children.set(record.parent, [...(this.#children.get(record.parent) ?? []), record.id]);
      for (const call of record.facts.calls) this.#callers.set(issuedId(call.id), record.id);
    }
  }

  find(message: Message, above: string | undefined): string | undefined {
    if (message.facts.calls.length > 0) return this.findCaller(message);
    const [result] = message.facts.results;
    const from = result === undefined ? above : (this.#callers.get(issuedId(result)) ?? above);
    if (from === undefined) return undefined;
    // A program may send in one message what it logs in two.
    const there = this.#nodes.get(from)?.message;
    return there?.role === 'user' && saysTheSame(message, there) ? from : this.#behind(from, message);
  }

  /** The node that has the first call of a message. */
  findCaller({ facts: { calls } }: Message): string | undefined {
    return calls[0] && this.#callers.get(issuedId(calls[0].id));
  }

  threadWithMost(threads: readonly Thread[], met: ReadonlySet<string>): Thread {
    const shared = (thread: Thread) => (this.#paths.get(thread.id) ?? []).filter((id) => met.has(id)).length;
    return threads.toSorted((a, b) => shared(b) - shared(a))[0]!;
  }

  /** The nearest node below another one that says the same. */
  #behind(from: string, message: Message): string | undefined {
    let level = this.#children.get(from) ?? [];
    for (let depth = 0; depth < MOST_BETWEEN && level.length > 0; depth++) {
      const found = level.find((id) => saysTheSame(message, this.#nodes.get(id)!.message));
      if (found !== undefined) return found;
      // Another reply ends the turn: what is behind it answers something else. The reply to a warm-up says nothing.
      level = level
        .filter((id) => !isReply(this.#nodes.get(id)!.message))
        .flatMap((id) => this.#children.get(id) ?? []);
    }
    return undefined;
  }
}

/** The id of a call as its provider issued it: Gemini CLI puts the name of the tool before it. */
function issuedId(id: string): string {
  return id.replace(/^\w+?__(?=.)/, '');
}

/** Whether a recorded message has all that a logged one says; programs add their own words to those of people. */
function saysTheSame(logged: Message, recorded: Message): boolean {
  const { results } = logged.facts;
  const answered = recorded.facts.results.map(issuedId);
  if (results.length > 0) return results.every((id) => answered.includes(issuedId(id)));
  if ((logged.role === 'assistant') !== (recorded.role === 'assistant')) return false;
  const there = new Set(texts(recorded));
  const said = texts(logged);
  // Texts side by side are one in some protocols.
  const whole = logged.role === 'user' && recorded.role === 'user' ? recorded.text.trim() : '';
  const isThere = (text: string) => there.has(text) || whole.startsWith(text) || whole.endsWith(text);
  return said.length > 0 && said.every(isThere);
}

function isReply({ role, content }: Message): boolean {
  return role === 'assistant' && content.length > 0;
}

function texts({ content }: Message): string[] {
  return content.flatMap((block) => (block.type === 'text' && block.text.trim() !== '' ? [block.text.trim()] : []));
}
