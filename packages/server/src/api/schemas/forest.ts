import { z } from '@hono/zod-openapi';
import { Block } from './blocks.ts';

/** What goes over the wire, described once: checked on the way in, documented on the way out. */

export const Id = z
  .string()
  .regex(/^(root|[0-9a-f]{4,40}|[\w-]{1,100}\/[\w-]{1,100})$/)
  .openapi({
    example: '9f3c21ab',
    description: 'A node id, or its beginning. Of the older layout: root-1/node-1, in a path root-1%2Fnode-1.',
  });
export const Name = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
/** Imported ones have the id of where they come from, such as `older:root-1:node-1`. */
export const ThreadId = z.string().regex(/^[A-Za-z0-9._:-]{1,220}$/);

export const PageQuery = z.object({
  // The place in a tree names every fork above it.
  after: z.string().max(12_000).optional(),
  limit: z.coerce.number().int().min(1).max(1000).optional(),
});

/** Selects sessions of coding agents. */
export const SessionQuery = {
  agent: z.string().max(100).optional().openapi({ description: 'Only sessions of this coding agent' }),
  cwd: z.string().max(1000).optional().openapi({ description: 'Only sessions in this folder, or below it' }),
  branch: z.string().max(300).optional().openapi({ description: 'Only sessions on this branch' }),
};

export const Stop = z.object({
  reason: z.enum([
    'end',
    'tool-use',
    'length',
    'stop-sequence',
    'refusal',
    'filter',
    'pause',
    'error',
    'cut',
    'unknown',
    'steps',
    'tokens',
    'cost',
    'time',
    'stopped',
    'aborted',
    'approval',
  ]),
  native: z.string().optional().openapi({ description: "The provider's own word" }),
});

export const Usage = z
  .object({
    input: z.number(),
    cacheRead: z.number(),
    cacheWrite5m: z.number(),
    cacheWrite1h: z.number(),
    output: z.number(),
    reasoning: z.number(),
  })
  .openapi('Usage');

export const Take = z
  .object({
    id: z.string(),
    at: z.number(),
    author: z.enum(['person', 'model', 'tool', 'unknown']),
    via: z.string(),
    issuer: z.string(),
    cut: z.boolean(),
    from: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    usage: Usage.optional(),
    estimated: z.boolean().optional(),
    cost: z.number().optional(),
    firstEventMs: z.number().optional(),
    durationMs: z.number().optional(),
    stop: Stop.optional(),
    requestId: z.string().optional(),
    hasRequest: z.boolean(),
    generation: z.string().optional(),
    exchange: z.string().optional(),
    thread: z.string().optional().openapi({ description: 'The conversation it belongs to' }),
  })
  .openapi('Take');

const Marks = z.object({
  tags: z.array(z.string()),
  note: z.string().optional(),
  rating: z.number().optional(),
});

export const Node = z
  .object({
    id: z.string(),
    parent: z.string(),
    depth: z.number(),
    role: z.enum(['system', 'user', 'assistant', 'tool', 'other']),
    at: z.number(),
    dialect: z.string(),
    content: z.array(Block),
    takes: z.array(Take),
    childCount: z.number(),
    removed: z.boolean(),
    marks: Marks,
  })
  .openapi('Node');

export const Thread = z
  .object({
    id: z.string(),
    start: z.string(),
    head: z.string(),
    title: z.string(),
    tags: z.array(z.string()),
    note: z.string().optional(),
    rating: z.number().optional(),
    createdAt: z.number(),
    updatedAt: z.number(),
    deleted: z.boolean(),
    forkedFrom: z.string().optional(),
    recorded: z.boolean().openapi({ description: 'Only its own client moves its head: what others write is a fork' }),
    part: z.enum(['main', 'subagent', 'side']).openapi({ description: 'What it is to its session' }),
    group: z.string().optional().openapi({ description: 'The row of a list that it belongs to' }),
    session: z.string().optional().openapi({ description: 'What its client calls the session, as a hash' }),
    unrecorded: z.string().optional().openapi({ description: 'The response it goes on from that was not recorded' }),
    agent: z.string().optional().openapi({ description: 'The coding agent whose session it is, by its log' }),
    cwd: z.string().optional().openapi({ description: 'The folder that the agent worked in' }),
    branch: z.string().optional().openapi({ description: 'The branch of the repository that it worked on' }),
    agentVersion: z.string().optional().openapi({ description: 'The version of the agent' }),
    startedBy: z.string().optional().openapi({ description: 'The id of the call that started a subagent' }),
  })
  .openapi('Thread');

/** A group is named by its kind and a hash: `session:…`, `opening:…`, `side`. */
export const GroupId = z.string().regex(/^(side|(session|opening):[A-Za-z0-9._-]{1,200})$/);

export const ThreadGroup = z
  .object({
    kind: z.enum(['thread', 'session', 'opening', 'side']),
    group: z.string().optional().openapi({ description: 'Absent for a thread alone' }),
    thread: Thread.openapi({ description: 'The one that the row is named after' }),
    count: z.number(),
    isMore: z.boolean().openapi({ description: 'There are more than were counted' }),
    threads: z.array(Thread).openapi({ description: 'The first few, last changed first' }),
  })
  .openapi('ThreadGroup');

export const Bookmark = z
  .object({ id: z.string(), node: z.string(), title: z.string(), createdAt: z.number() })
  .openapi('Bookmark');

/** A message as a client writes it: content blocks, or the older shape. */
export const MessageInput = z
  .looseObject({ role: z.enum(['system', 'user', 'assistant', 'tool']) })
  .openapi('MessageInput', { example: { role: 'user', content: [{ type: 'text', text: 'Hello' }] } });

const Params = z
  .object({
    maxTokens: z.number().int().positive().optional(),
    temperature: z.number().optional(),
    topP: z.number().optional(),
    stop: z.array(z.string()).optional(),
    seed: z.number().int().optional(),
    reasoning: z.object({ effort: z.string().optional(), budget: z.number().int().optional() }).optional(),
  })
  .strict();

/** What a model is asked with. */
export const GenerationRequest = z.object({
  model: z.string().max(300).optional(),
  agent: z.string().max(100).optional(),
  tools: z.array(z.string().max(200)).max(200).optional(),
  params: Params.optional(),
});

export const ProblemBody = z
  .looseObject({ type: z.string(), title: z.string(), status: z.number(), code: z.string(), detail: z.string() })
  .openapi('Problem');

export function pageSchema<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next: z.string().optional() });
}
