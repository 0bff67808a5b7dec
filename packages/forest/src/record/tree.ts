import type { Place } from '../forest/make-records.ts';
import { ROOT_PLACE } from '../forest/place.ts';
import { ROOT } from '../model/index.ts';
import type { Landing } from './landing.ts';
import type { Reading, Turn } from './read-exchange.ts';

/** What the exchanges so far amount to: enough to find a place for the next one, and nothing of their texts. */
export interface Tree {
  readonly nodes: Map<string, TreeNode>;
  /** By echo, and by echo with the system text it stands under: the deepest, then newest node. */
  readonly echoes: Map<string, string>;
  readonly responses: Map<string, KnownResponse>;
  /** Where a conversation kept by the API stands. */
  readonly conversations: Map<string, { readonly response: string | undefined; readonly node: string }>;
  readonly threads: Map<string, TreeThread>;
  readonly landings: Map<string, Landing>;
  /** What cannot be placed before something else is known, by what that is. */
  readonly waiting: Map<string, readonly Reading[]>;
  /** Changes a map in a way that can be taken back. */
  set<K, V>(map: Map<K, V>, key: K, value: V): void;
  /** Forgets what was done so far: from now on changes belong to one more step. Gives what takes the last step back. */
  step(): () => void;
}

export interface TreeNode {
  readonly place: Place;
  readonly parent: string;
  readonly at: number;
  /** The thread it was first said in. */
  readonly thread: string;
}

interface TreeThread {
  readonly head: string;
  readonly created: number;
  readonly touched: number;
  readonly title: string;
}

/** A response of an API that keeps them. */
export interface KnownResponse {
  /** The node it is said to. */
  readonly below: string;
  /** The node it became, unless it broke off before its first word or has not come yet. */
  readonly node: string | undefined;
  readonly state: 'pending' | 'cut' | 'whole';
  readonly turn: Omit<Turn, 'messages' | 'answer' | 'system'>;
  readonly thread: string;
}

const NOTHING = Symbol('nothing');

export function createTree(): Tree {
  // Of each change the map, the key, and what was there before, in one list: thousands of steps are kept.
  let changes: unknown[] = [];
  return {
    nodes: new Map(),
    echoes: new Map(),
    responses: new Map(),
    conversations: new Map(),
    threads: new Map(),
    landings: new Map(),
    waiting: new Map(),
    set(map, key, value) {
      changes.push(map, key, map.has(key) ? map.get(key) : NOTHING);
      map.set(key, value);
    },
    step() {
      changes = [];
      const ours = changes;
      return () => {
        for (let at = ours.length - 3; at >= 0; at -= 3) {
          const map = ours[at] as Map<unknown, unknown>;
          const before = ours[at + 2];
          if (before === NOTHING) map.delete(ours[at + 1]);
          else map.set(ours[at + 1], before);
        }
      };
    },
  };
}

export function placeAt(tree: Tree, id: string): Place {
  return id === ROOT ? ROOT_PLACE : tree.nodes.get(id)!.place;
}

export function addNode(tree: Tree, node: TreeNode): void {
  const { id, echo, lead } = node.place;
  tree.set(tree.nodes, id, node);
  for (const key of [echo.text, `${echo.text} ${lead}`]) {
    const best = tree.nodes.get(tree.echoes.get(key) ?? '');
    if (!best || isBetter(node, best)) tree.set(tree.echoes, key, id);
  }
}

/** The deepest node with this echo; of several one under the same system text, then the newest. As `Store.byEcho`. */
export function nodeByEcho(tree: Tree, echo: string, lead: string): TreeNode | undefined {
  const any = tree.nodes.get(tree.echoes.get(echo) ?? '');
  const same = tree.nodes.get(tree.echoes.get(`${echo} ${lead}`) ?? '');
  return same && same.place.depth === any?.place.depth ? same : any;
}

function isBetter(a: TreeNode, b: TreeNode): boolean {
  if (a.place.depth !== b.place.depth) return a.place.depth > b.place.depth;
  return a.at === b.at ? a.place.id < b.place.id : a.at > b.at;
}
