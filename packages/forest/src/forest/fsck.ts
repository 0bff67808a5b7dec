import { dialect, type Message } from '@skein/core';
import { ECHO_VERSION, type NodeRecord, nodeId, ROOT, sha256, type TakeRecord } from '../model/index.ts';
import { overlayStore, type Store, type StoreProblem } from '../store/index.ts';
import { allPages } from './pages.ts';
import { readTakes } from './read/read-nodes.ts';
import { rebuildRequest } from './read/sent-request.ts';
import { makeNodeRecords, readAppendPoint } from './write/append-point.ts';

const REMEMBERED = 10_000;

/** Checks every node: its id, text, depth and echo, and whether the requests of its takes can be rebuilt. */
export async function checkForest(store: Store): Promise<readonly StoreProblem[]> {
  const problems: StoreProblem[] = [...store.problems(), ...(await store.check())];
  const remembering = rememberBodies(store);
  for await (const nodes of allPages((page) => store.scan(page))) {
    const [bodies, takes] = await Promise.all([
      store.bodies(nodes.map(({ body }) => body)),
      readTakes(
        store,
        nodes.map(({ id }) => id),
      ),
    ]);
    const moved = await movedAmong(store, nodes);
    for (const [index, node] of nodes.entries()) {
      if (moved.has(node.parent) && !moved.has(node.id))
        problems.push({ code: 'wrong-place', where: node.id, message: 'Its parent was moved without it: run settle.' });
      for await (const problem of checkNode(store, node, bodies[index])) problems.push(problem);
      for await (const problem of checkRequests(remembering, takes.get(node.id) ?? [])) problems.push(problem);
    }
  }
  return unique(problems);
}

async function* checkNode(store: Store, node: NodeRecord, raw: string | undefined): AsyncGenerator<StoreProblem> {
  const where = node.id;
  if (nodeId(node.parent, node.dialect, node.body) !== node.id)
    yield { code: 'wrong-hash', where, message: 'Its id is not that of its parent, its dialect and its text.' };
  const [parent] = node.parent === ROOT ? [undefined] : await store.nodes([node.parent]);
  if (node.parent !== ROOT && !parent) {
    yield { code: 'missing-parent', where, message: `Its parent ${node.parent} is not in the store.` };
    return;
  }
  if (raw === undefined) {
    yield { code: 'missing-body', where, message: `Its text ${node.body} is not in the store.` };
    return;
  }
  if (sha256(raw) !== node.body) {
    yield { code: 'wrong-hash', where, message: `Its text no longer has the hash ${node.body}.` };
    return;
  }
  const message = readText(node, raw);
  if (!message) {
    yield { code: 'damaged-record', where, message: `Its text is not a message of ${node.dialect}.` };
    return;
  }
  // The parent was checked itself, so one step of the chain is enough.
  const made = makeNodeRecords(await readAppendPoint(store, node.parent), message, node.at).node;
  if (made.depth !== node.depth || made.lead !== node.lead)
    yield { code: 'wrong-place', where, message: 'Its depth or the end of its leading system messages is wrong.' };
  if (node.echo.startsWith(`${ECHO_VERSION}:`) && node.echo !== made.echo)
    yield { code: 'wrong-echo', where, message: `Its echo is ${node.echo}; by the rule it is ${made.echo}.` };
}

/** Finds which of these nodes and their parents were moved. */
async function movedAmong(store: Store, nodes: readonly NodeRecord[]): Promise<Set<string>> {
  const keys = [...new Set(nodes.flatMap(({ id, parent }) => [id, parent]))];
  const { items } = await store.refs({ on: 'node', keys, names: ['moved'], limit: keys.length + 1 });
  return new Set(items.filter(({ value }) => typeof value === 'string').map(({ key }) => key));
}

function readText({ dialect: id }: NodeRecord, raw: string): Message | undefined {
  try {
    const message = dialect(id).parseMessage(raw);
    void message.facts;
    return message;
  } catch {
    return undefined;
  }
}

async function* checkRequests(store: Store, takes: readonly TakeRecord[]): AsyncGenerator<StoreProblem> {
  for (const { node, id, request } of takes) {
    if (!request) continue;
    try {
      await rebuildRequest(store, request);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      yield { code: 'wrong-request', where: node, message: `The request of take ${id} cannot be rebuilt: ${why}.` };
    }
  }
}

/** Caches texts: the requests of a conversation share nearly all of them. */
function rememberBodies(store: Store): Store {
  const known = new Map<string, string | undefined>();
  const bodies: Store['bodies'] = async (digests) => {
    if (known.size > REMEMBERED) known.clear();
    const missing = [...new Set(digests.filter((digest) => !known.has(digest)))];
    if (missing.length > 0) {
      const found = await store.bodies(missing);
      for (const [index, digest] of missing.entries()) known.set(digest, found[index]);
    }
    return digests.map((digest) => known.get(digest));
  };
  return overlayStore(store, { bodies });
}

/** Drops duplicates: a store that checks hashes itself reports some problems, too. */
function unique(problems: readonly StoreProblem[]): StoreProblem[] {
  const byText = new Map(problems.map((problem) => [`${problem.code} ${problem.where} ${problem.message}`, problem]));
  return [...byText.values()];
}
