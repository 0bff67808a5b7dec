import { system, user } from '@skein/core';
import { type Forest, type ForestNode, ROOT, type Thread } from '@skein/forest';
import { counted } from '../output/output.ts';
import { type Start, threadToWrite } from '../world/start.ts';

/** Where a conversation stands in the forest, and the ways from there. */
export interface Session {
  readonly head: string;
  readonly thread: Thread | undefined;
  /** What was asked so far, oldest first. */
  questions(): Promise<ForestNode[]>;
  /** Hangs a question below the head; the first one begins a thread. */
  ask(text: string, rule: string | undefined): Promise<string>;
  /** The thread that what is said goes into: a fork where the one it began with stays as it is. */
  own(): Promise<Thread>;
  /** Stands at another node; a thread of its own follows. */
  moveTo(node: string): Promise<void>;
  /** A thread of its own from behind a turn on; 0 is before the first. Default: here. */
  fork(turn?: number): Promise<Thread>;
  /** The branches to choose from: those that go on from here, or where the history last parted. */
  branches(): Promise<readonly ForestNode[]>;
  /** The newest end below a branch. */
  newestBelow(node: string): Promise<string>;
}

export function openSession(forest: Forest, start: Start): Session {
  let head = start.node;
  let { thread, forks } = start;
  const path = async () => (head === ROOT ? [] : forest.path(head));

  async function questions() {
    return (await path()).filter(isQuestion);
  }

  async function moveTo(node: string) {
    head = node;
    if (thread && !forks) thread = await forest.threads.moveHead(thread.id, node);
  }

  async function own() {
    thread = await threadToWrite(forest, { node: head, ...(thread && { thread }), forks });
    forks = false;
    if (!thread) throw new Error('Nothing was asked yet.');
    return thread;
  }

  return {
    get head() {
      return head;
    },
    get thread() {
      return thread;
    },
    questions,
    own,
    moveTo,
    async ask(text, rule) {
      const first = head === ROOT && rule !== undefined ? [system(rule)] : [];
      const messages = [...first, user(text)];
      thread = thread
        ? await forest.threads.append((await own()).id, messages, { at: head })
        : await forest.threads.begin(messages, { below: head });
      head = thread.head;
      return head;
    },
    async fork(turn) {
      if (!thread) throw new Error('There is nothing to fork yet: say something first.');
      const at = turn === undefined ? head : await endOfTurn(turn);
      // A thread needs a node; before the first one there is only a conversation of its own.
      if (at === ROOT) throw new Error('Before the first turn there is nothing to share: start another skein chat.');
      thread = await forest.threads.fork(thread.id, { at });
      forks = false;
      head = at;
      return thread;
    },
    async branches() {
      const nodes = await path();
      const below = nodes.length === 0 ? [] : (await forest.children(head, { limit: 100 })).items;
      if (below.length > 0) return below;
      for (const node of nodes.slice(1).reverse()) {
        const all = await forest.siblings(node.id);
        if (all.length > 1) return all;
      }
      return [];
    },
    async newestBelow(node) {
      const { items } = await forest.leaves(node, { limit: 500 });
      return items.reduce<ForestNode | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined)?.id ?? node;
    },
  };

  async function endOfTurn(turn: number): Promise<string> {
    const asked = await questions();
    const next = asked[turn];
    if (next) return next.parent;
    if (turn === asked.length) return head;
    throw new Error(
      `There ${asked.length === 1 ? 'is' : 'are'} ${counted(asked.length, 'turn')}: give a number from 0 to ${asked.length}.`,
    );
  }
}

/** What a person said; results of tools are theirs in some dialects, too. */
export function isQuestion({ role, message }: ForestNode): boolean {
  return role === 'user' && message.toolResults.length === 0;
}
