import type { Message } from '@skein/core';
import { allItems, type Forest, readMessage, type Thread } from '../../forest/index.ts';
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
 * behind messages that met. A log has no system text and no reminders; the wire has them.
 */
export async function meetRecorded(
  forest: Forest,
  group: string,
  messages: readonly ImportedMessage[],
): Promise<SessionMeeting | undefined> {
  const threads: Thread[] = [];
  for await (const thread of allItems((page) => forest.threads.inGroup(group, page)))
    if (thread.recorded) threads.push(thread);
  if (threads.length === 0) return undefined;
  const recorded = new RecordedNodes();
  for (const thread of threads) await recorded.add(forest, thread);
  const nodes = new Map<string, string>();
  for (const { key, parent, message } of messages) {
    const above = parent === undefined ? ROOT : nodes.get(parent);
    const node = recorded.find(message, above);
    if (node !== undefined) nodes.set(key, node);
  }
  if (nodes.size === 0) return undefined;
  return { thread: recorded.threadWithMost(threads, new Set(nodes.values())), nodes };
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
      for (const call of record.facts.calls) this.#callers.set(call.id, record.id);
    }
  }

  find(message: Message, above: string | undefined): string | undefined {
    const [call] = message.facts.calls;
    if (call) return this.#callers.get(call.id);
    const [result] = message.facts.results;
    const from = result === undefined ? above : (this.#callers.get(result) ?? above);
    return from === undefined ? undefined : this.#behind(from, message);
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
      // Another reply ends the turn: what is behind it answers something else.
      level = level
        .filter((id) => this.#nodes.get(id)!.message.role !== 'assistant')
        .flatMap((id) => this.#children.get(id) ?? []);
    }
    return undefined;
  }
}

/** Whether a recorded message has all that a logged one says; programs add their own words to those of people. */
function saysTheSame(logged: Message, recorded: Message): boolean {
  const { results } = logged.facts;
  if (results.length > 0) return results.every((id) => recorded.facts.results.includes(id));
  if ((logged.role === 'assistant') !== (recorded.role === 'assistant')) return false;
  const there = new Set(texts(recorded));
  const said = texts(logged);
  return said.length > 0 && said.every((text) => there.has(text));
}

function texts({ content }: Message): string[] {
  return content.flatMap((block) => (block.type === 'text' && block.text.trim() !== '' ? [block.text.trim()] : []));
}
