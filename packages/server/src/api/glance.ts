import { createRoute, z } from '@hono/zod-openapi';
import { type ContentBlock, isSkeinError, type Message } from '@skein/core';
import { readableNodes, readOpening, type Store } from '@skein/forest';
import type { Redactor } from '../redact.ts';
import type { Services } from '../services.ts';
import { answers, apiRouter } from './router.ts';
import { Id, Thread, ThreadId, Usage } from './schemas/forest.ts';
import { threadView } from './views.ts';

const threadsOf = createRoute({
  method: 'get',
  path: '/nodes/{node}/threads',
  tags: ['nodes'],
  summary: 'Conversations that lead through a node, or end at or above it',
  request: { params: z.object({ node: Id }) },
  responses: answers(z.object({ items: z.array(Thread) })),
});

/** Ids of threads are long: more of them would not fit into an address. */
const MAX_THREADS = 50;
const ThreadIds = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(ThreadId).max(MAX_THREADS));

const summaries = createRoute({
  method: 'get',
  path: '/summaries',
  tags: ['threads'],
  summary:
    'Conversations at a glance: how long each is, what it cost, who answered, how it begins and ends; ids that are not known are left out',
  request: {
    query: z.object({
      ids: ThreadIds.openapi({ type: 'string', description: `Up to ${MAX_THREADS} ids with commas between them` }),
    }),
  },
  responses: answers(
    z.object({
      items: z.array(
        z.object({
          id: z.string(),
          messages: z.number(),
          replies: z.number(),
          cost: z.number().nullable(),
          withoutPrice: z.number(),
          usage: Usage,
          models: z.array(z.string()),
          preview: z.string(),
          last: z.string(),
        }),
      ),
    }),
  ),
});

const MAX_IDS = 200;
const IdList = z
  .string()
  .regex(/^(root|[0-9a-f]{40})(,(root|[0-9a-f]{40}))*$/, 'has to be whole node ids with commas between them')
  .refine((text) => text.split(',').length <= MAX_IDS, `may have ${MAX_IDS} ids`);

const previews = createRoute({
  method: 'get',
  path: '/previews',
  tags: ['forest'],
  summary: 'Nodes in a few words each; ids that are not known are left out',
  request: { query: z.object({ ids: IdList }) },
  responses: answers(
    z.object({
      items: z.array(
        z.object({
          id: z.string(),
          role: z.string(),
          text: z.string(),
          model: z.string().optional(),
          provider: z.string().optional(),
        }),
      ),
    }),
  ),
});

const SUMMARY_LENGTH = 200;
const PREVIEW_LENGTH = 160;

export const glance = apiRouter()
  .openapi(threadsOf, async (c) => {
    const { forest, redact } = c.var.services;
    const found = await forest.threads.of(c.req.valid('param').node);
    return c.json({ items: redact(found.map(threadView)) }, 200);
  })
  .openapi(summaries, async (c) => {
    const found = await Promise.all(c.req.valid('query').ids.map((id) => summarizeThread(c.var.services, id)));
    return c.json({ items: found.filter((one) => one !== undefined) }, 200);
  })
  .openapi(previews, async (c) => {
    const { forest, redact } = c.var.services;
    const { store } = forest;
    const records = (await store.nodes(c.req.valid('query').ids.split(','))).filter((record) => record !== undefined);
    const items = (await readableNodes(store, records)).map(({ id, role, message, takes }) => {
      const take = takes.findLast(({ model }) => model !== undefined);
      return {
        id,
        role,
        text: summarize(message, redact, PREVIEW_LENGTH),
        ...(take?.model !== undefined && { model: take.model }),
        ...(take?.provider !== undefined && { provider: take.provider }),
      };
    });
    return c.json({ items }, 200);
  });

async function summarizeThread({ forest, redact, costOf }: Services, thread: string) {
  const known = await forest.threads.get(thread).catch((error: unknown) => {
    if (!isSkeinError(error, 'unknown_thread')) throw error;
  });
  if (!known) return undefined;
  const { id, head } = known;
  const [total, path] = await Promise.all([forest.usage({ thread: id }, { costOf }), forest.store.path(head)]);
  const takes = await forest.store.takes(path.map((one) => one.id));
  const models = new Set(takes.flatMap(({ model }) => (model === undefined ? [] : [model])));
  const first = path.find(({ facts }) => facts.role === 'user') ?? path[0];
  const words = (node: string | undefined) => summarizeNode(forest.store, node, redact);
  const { opening } = await readOpening(forest.store, head);
  // Without a word of a person, what the first message does instead.
  const begins = opening === '' ? words(first?.id) : toOneLine(opening, redact, SUMMARY_LENGTH);
  const [preview, last] = await Promise.all([begins, words(path.at(-1)?.id)]);
  return { id, messages: path.length, ...total, models: [...models], preview, last };
}

async function summarizeNode(store: Store, id: string | undefined, redact: Redactor): Promise<string> {
  if (id === undefined) return '';
  const [record] = await store.nodes([id]);
  const [node] = await readableNodes(store, record ? [record] : []);
  return node ? summarize(node.message, redact, SUMMARY_LENGTH) : '';
}

/** A message in a few words: its text, or what it does instead. */
export function summarize({ content, text }: Message, redact: Redactor, length: number): string {
  const said = text.trim() === '' ? content.map(describeBlock).filter(Boolean).join(', ') : text;
  return toOneLine(said, redact, length);
}

/** The front of a text, without what redaction hides. */
function toOneLine(text: string, redact: Redactor, length: number): string {
  // Hidden before it is cut: half a secret would not be recognised.
  return cut(redact(text).replace(/\s+/g, ' ').trim(), length);
}

function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'tool-use':
      return `calls ${block.name}`;
    case 'tool-result':
      return block.content.map(describeBlock).filter(Boolean).join(', ') || 'an empty result';
    case 'reasoning':
      return block.text === '' ? 'thinks' : `thinks: ${block.text}`;
    case 'media':
      return block.mediaType.split('/')[0] === 'application' ? 'document' : block.mediaType.split('/')[0]!;
    case 'refusal':
      return block.text;
    case 'unknown':
      return UNKNOWN_BLOCK;
    default:
      return unknownBlock(block);
  }
}

const UNKNOWN_BLOCK = 'something of its provider’s own';

/** The compiler says so when a kind of block has no case above; at run time it is described as unknown. */
function unknownBlock(_block: never): string {
  return UNKNOWN_BLOCK;
}

/** At most so many UTF-16 units, and no half character at the end. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
