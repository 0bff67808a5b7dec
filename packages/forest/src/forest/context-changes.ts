import { type Checkpoint, dialect } from '@skein/core';
import type { NodeRecord, StoredText, TakeContext, TakeRecord } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { readCheckpoints } from './checkpoints.ts';
import type { Context } from './context.ts';
import { lineageOf, takesOfLineage } from './lineage.ts';
import { groupBy } from './read-nodes.ts';
import { resolveId } from './resolve.ts';
import type { ContextChange, Forest, Threads } from './types.ts';

/** Where a conversation was sent with another system text, other tools or another history than before. */
export function contextChangesOf({ store }: Context, threads: Threads): Forest['contextChanges'] {
  return async (thread, { to } = {}) => {
    const { head } = await threads.get(thread);
    const path = await store.path(to === undefined ? head : await resolveId(store, to));
    const lineage = await lineageOf(store, thread);
    const ids = path.map(({ id }) => id);
    const takes = groupBy(takesOfLineage(await store.takes(ids), lineage), ({ node }) => node);
    const checkpoints = new Map((await readCheckpoints(store, ids, lineage)).map((one) => [one.node, one.checkpoint]));
    const changes: ContextChange[] = [];
    const lead = leadingSystem(path);
    let before: TakeContext = { system: lead };
    let isKnown = false;
    for (const { id } of path) {
      const said = lastContext(takes.get(id) ?? []);
      // What was carried below another system text by an edit is sent with that one from then on.
      const context = said && { ...said, system: said.replacesLead ? said.system : lead };
      const checkpoint = checkpoints.get(id);
      const system = context && (await systemChange(store, before, context));
      const tools = context && isKnown && (await toolsChange(store, before, context));
      if (system || tools || checkpoint)
        changes.push({
          node: id,
          ...(system && { system }),
          ...(tools && { tools }),
          ...(checkpoint && { compacted: { messages: checkpoint.upTo, replacement: wordsOf(checkpoint.replacement) } }),
        });
      if (!context) continue;
      before = context;
      isKnown = true;
    }
    return changes;
  };
}

/** What the conversation began with. Its tools are known from its first request on. */
function leadingSystem(path: readonly NodeRecord[]): readonly StoredText[] {
  const end = path.findIndex(({ facts }) => facts.role !== 'system');
  return path.slice(0, end < 0 ? path.length : end).map(({ dialect: spoken, body }) => ({ dialect: spoken, body }));
}

function lastContext(takes: readonly TakeRecord[]): TakeContext | undefined {
  return takes.findLast(({ context }) => context !== undefined)?.context;
}

async function systemChange(store: Store, before: TakeContext, after: TakeContext) {
  if (keyOf(before.system) === keyOf(after.system)) return undefined;
  const [old, now] = await Promise.all([before, after].map(({ system }) => wordsIn(store, system)));
  // The same words in another protocol's form are no change.
  return old === now ? undefined : { before: old!, after: now! };
}

async function toolsChange(store: Store, before: TakeContext, after: TakeContext) {
  if (before.tools === after.tools) return undefined;
  const [old = '', now = ''] = await store.bodies([before.tools ?? '', after.tools ?? '']);
  return { before: old, after: now };
}

async function wordsIn(store: Store, system: readonly StoredText[]): Promise<string> {
  const texts = await store.bodies(system.map(({ body }) => body));
  return system
    .map(({ dialect: spoken }, index) => dialect(spoken).parseMessage(texts[index] ?? '{}').text)
    .join('\n\n');
}

function wordsOf(replacement: Checkpoint['replacement']): string {
  return replacement
    .map((text) => (typeof text === 'string' ? { dialect: 'blocks', raw: text } : text))
    .map(({ dialect: spoken, raw }) => dialect(spoken).parseMessage(raw).text)
    .join('\n\n');
}

function keyOf(texts: readonly StoredText[]): string {
  return texts.map(({ body }) => body).join();
}
