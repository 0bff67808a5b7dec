import { ENTRY_KINDS, type TakeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { everyItem, everyPage } from './pages.ts';

/** `digest` of every text that living nodes need: their own, envelopes, and what their requests were joined from. */
export async function neededBodies(store: Store, isDead: (node: string) => boolean): Promise<Set<string>> {
  const needed = new Set<string>();
  const manifests = new Set<string>();
  for await (const nodes of everyPage((page) => store.scan(page))) {
    const living = nodes.filter(({ id }) => !isDead(id));
    for (const { body } of living) needed.add(body);
    for (const take of await store.takes(living.map(({ id }) => id))) {
      for (const digest of textsOf(take)) needed.add(digest);
      if (take.request !== undefined) manifests.add(take.request.manifest);
    }
  }
  for (const manifest of manifests) await addManifest(store, manifest, needed);
  for (const kind of ENTRY_KINDS)
    for await (const { data } of everyItem((page) => store.entries(kind, page))) await addNamed(store, data, needed);
  return needed;
}

/** The texts that a take names itself; its manifest names more. */
export function textsOf({ envelope, context }: TakeRecord): string[] {
  const system = context?.system.map(({ body }) => body) ?? [];
  return [...system, context?.tools, envelope].filter((digest) => digest !== undefined);
}

/** A stored manifest, those it extends, and the texts that any of them names. */
export async function addManifest(store: Store, digest: string, needed: Set<string>): Promise<void> {
  for (let at: string | undefined = digest; at !== undefined && !needed.has(at); ) {
    needed.add(at);
    const [text] = await store.bodies([at]);
    const { base, head, messages } = readManifest(text);
    if (typeof head === 'string') needed.add(head);
    if (Array.isArray(messages)) for (const message of messages) needed.add(String(message));
    at = typeof base === 'string' ? base : undefined;
  }
}

/** What an entry says is its owner's business: whatever looks like the name of a text in it is taken for one. */
async function addNamed(store: Store, data: unknown, needed: Set<string>): Promise<void> {
  for (const [digest] of JSON.stringify(data).matchAll(/\b[0-9a-f]{64}\b/g))
    if (!needed.has(digest)) await addManifest(store, digest, needed);
}

function readManifest(text: string | undefined): { base?: unknown; head?: unknown; messages?: unknown } {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return (value as { format?: unknown } | null)?.format === 'skein/manifest' ? (value as object) : {};
  } catch {
    return {};
  }
}
