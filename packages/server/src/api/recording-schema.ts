import { z } from '@hono/zod-openapi';
import { Stop, Usage } from './schemas.ts';

export const ExchangeId = z.string().regex(/^[A-Za-z0-9._-]{1,100}$/);

const Headers = z.record(z.string(), z.string()).openapi({ description: 'Without those that sign in' });

const Hashes = z.record(z.string(), z.string()).readonly();

const Hints = z
  .object({
    person: Hashes.optional(),
    session: Hashes.optional(),
    group: z.string().optional(),
    agent: z.string().optional(),
    isSubagent: z.literal(true).optional(),
    name: z.string().optional(),
  })
  .openapi({ description: 'Who speaks and in which session, as hashes' });

const Landing = z
  .object({
    rules: z.number().optional().openapi({ description: 'The version of the rules it was placed by' }),
    state: z.enum(['landed', 'waiting', 'nothing']),
    why: z.string().optional(),
    thread: z.string().optional(),
    parent: z.string().optional().openapi({ description: 'The last message of its history' }),
    node: z.string().optional().openapi({ description: 'The reply' }),
    alternatives: z.array(z.string()).readonly().optional(),
    added: z.array(z.string()).readonly().optional(),
    by: z.enum(['exact', 'echo']).optional(),
    found: z
      .enum(['named', 'retry', 'proof', 'words', 'compacted', 'new'])
      .optional()
      .openapi({ description: 'Why it is in that thread' }),
    compacted: z
      .object({ messages: z.number(), sentInstead: z.number() })
      .optional()
      .openapi({ description: 'The client left out messages at the front, or sent others instead' }),
    unrecorded: z
      .string()
      .optional()
      .openapi({ description: 'The response that it goes on from and that was not recorded' }),
    matched: z.number().optional(),
    otherSystem: z.boolean().optional(),
    way: z.enum(['starts', 'continues', 'branches']).optional(),
    stop: Stop.optional(),
  })
  .openapi('Landing');

export const Recording = z
  .object({
    id: z.string(),
    start: z.number(),
    firstByte: z.number().optional(),
    end: z.number().optional(),
    method: z.string(),
    host: z.string(),
    path: z.string(),
    query: z.string(),
    kind: z.enum(['generate', 'poll', 'other']),
    provider: z.string().optional(),
    dialect: z.string().optional(),
    issuer: z.string().optional(),
    model: z.string().optional(),
    requestHeaders: Headers,
    requestSha256: z.string().optional(),
    replayKey: z.string().optional(),
    status: z.number().optional(),
    responseHeaders: Headers.optional(),
    responseId: z.string().optional(),
    responseBytes: z.number().optional(),
    outcome: z.enum(['open', 'done', 'cut', 'refused', 'failed']),
    error: z.string().optional().openapi({ description: 'Why there is no answer, or no whole one' }),
    truncated: z.boolean().optional().openapi({ description: 'Bytes of it were not kept' }),
    redacted: z.boolean().optional().openapi({ description: 'A key stood in a body and was taken out before storing' }),
    tags: z.array(z.string()).readonly(),
    thread: z.string().optional().openapi({ description: 'The name that the client gave the conversation' }),
    hints: Hints.optional(),
    notes: z
      .array(z.string())
      .readonly()
      .optional()
      .openapi({ description: 'What was wrong with the wishes of the request' }),
    writer: z.string(),
    usage: Usage.optional(),
    cost: z.number().optional().openapi({ description: 'US dollars by list price, where one is known' }),
    landing: Landing.optional(),
  })
  .openapi('Recording');
