import { joinManifest, type Manifest } from '@skein/core';
import { type NodeRecord, ROOT, restoreManifest, sha256 } from '../model/index.ts';
import type { Page } from '../store/index.ts';
import type { Context } from './context.ts';
import { ForestError } from './errors.ts';
import { messageOf, readNodes, takesByNode } from './read-nodes.ts';
import { resolveId } from './resolve.ts';
import type { Forest, ForestNode } from './types.ts';

export function readingOf({
  store,
}: Context): Pick<Forest, 'resolve' | 'node' | 'path' | 'messages' | 'children' | 'siblings' | 'request'> {
  const recordOf = async (id: string): Promise<NodeRecord> => {
    const full = await resolveId(store, id);
    const [record] = await store.nodes([full]);
    if (!record) throw new ForestError('unknown_node', id, 'The root is the empty history: it has no message.');
    return record;
  };

  return {
    resolve: (id) => resolveId(store, id),
    async node(id) {
      const [node] = await readNodes(store, [await recordOf(id)]);
      return node!;
    },
    async path(to, from = ROOT) {
      const [end, above] = await Promise.all([resolveId(store, to), resolveId(store, from)]);
      return readNodes(store, await store.path(end, above));
    },
    async messages(id, { issuer } = {}) {
      const path = await store.path(await resolveId(store, id));
      const [bodies, takes] = await Promise.all([
        store.bodies(path.map(({ body }) => body)),
        takesByNode(
          store,
          path.map((node) => node.id),
        ),
      ]);
      return path.map((node, index) => messageOf(node, bodies[index], takes.get(node.id) ?? [], issuer));
    },
    async children(id, page) {
      const found = await store.children(await resolveId(store, id), page);
      return { ...found, items: await readNodes(store, found.items) };
    },
    async siblings(id) {
      const { parent } = await recordOf(id);
      const found: ForestNode[] = [];
      for (let after: string | undefined, more = true; more; ) {
        const page: Page<NodeRecord> = await store.children(parent, { limit: 1000, ...(after && { after }) });
        found.push(...(await readNodes(store, page.items)));
        after = page.next;
        more = after !== undefined;
      }
      return found;
    },
    async request(id) {
      const node = await recordOf(id);
      const take = (await store.takes([node.id])).findLast(({ request }) => request !== undefined);
      if (!take?.request)
        throw new ForestError('no_request', id, `No request is stored for node ${node.id}: no model wrote it here.`);
      const manifest = await restoreManifest(take.request.manifest, bodyReader(store));
      const texts = await store.bodies(manifest.messages);
      const body = joinManifest(manifest as Manifest, (index) => needBody(texts[index], manifest.messages[index]!));
      const hash = sha256(body);
      if (hash !== take.request.sha256)
        throw new ForestError(
          'damaged',
          id,
          `The request of node ${node.id} no longer has the hash it was sent with: run fsck.`,
        );
      return { body, sha256: hash, dialect: manifest.dialect, model: manifest.model };
    },
  };
}

/** Reads one body after the other; a missing one is an error. */
export function bodyReader(store: Context['store']): (digest: string) => Promise<string> {
  return async (digest) => needBody((await store.bodies([digest]))[0], digest);
}

function needBody(text: string | undefined, digest: string): string {
  if (text === undefined)
    throw new ForestError(
      'unknown_body',
      digest,
      `The text ${digest} is not in the store: run fsck to see what is missing.`,
    );
  return text;
}
