import { z } from '@hono/zod-openapi';
import type { Loss as CoreLoss, Notice as CoreNotice } from '@skein/core';
import type { BranchState, GenerationEvent as EngineEvent } from '@skein/forest';
import { Stop, Usage } from './forest.ts';
import { assertSame, type IsSameOnWire } from './wire.ts';

/** What happens in a generation, as its event stream sends it: the one definition for routes, OpenAPI and the page. */

export const Loss = z
  .object({
    kind: z.enum(['rewritten', 'synthesised', 'dropped']),
    message: z.number().openapi({ description: 'Index in the messages that were given; -1 for the whole request' }),
    path: z.string().openapi({ description: 'Where in that message', example: 'content[2]' }),
    reason: z.enum([
      'account-bound',
      'cache-marker',
      'citations',
      'compacted',
      'client-tool',
      'cut',
      'duplicate-result',
      'empty',
      'foreign-file',
      'foreign-reasoning',
      'foreign-tool',
      'inline-system',
      'late-result',
      'malformed-arguments',
      'merged',
      'model-bound',
      'nothing-to-send',
      'opening',
      'parameter',
      'prefill',
      'prefix-bound',
      'refusal',
      'refused-field',
      'reordered',
      'server-tool',
      'signature-placeholder',
      'surrogate',
      'tool-id',
      'tool-name',
      'tool-unanswered',
      'unknown-block',
      'unknown-field',
      'unsupported-media',
      'upstream-bound',
      'vendor-text',
    ]),
    detail: z.string().optional(),
  })
  .openapi('Loss', { description: 'One thing that a request does not carry as it was' });

/** A loss in words, as it is shown. */
export const DescribedLoss = Loss.extend({
  message: z.number().optional().openapi({ description: 'Index among the messages that were sent' }),
  node: z.string().optional(),
  path: z.string().optional(),
  text: z.string().openapi({ description: 'All of it in one sentence' }),
}).openapi('DescribedLoss');

export type Loss = z.infer<typeof Loss>;

assertSame<IsSameOnWire<Loss, CoreLoss>>();

const Notice = z
  .object({
    code: z.enum([
      'losses',
      'fallback',
      'refused-field',
      'server-state',
      'cache-miss',
      'steering',
      'compaction',
      'compaction-failed',
      'length',
      'max-tokens',
      'price-unknown',
      'prefix-changed',
      'state-discarded',
    ]),
    message: z.string(),
    losses: z.array(Loss).optional(),
    at: z
      .object({ part: z.enum(['system', 'tools']), index: z.number(), name: z.string().optional() })
      .optional()
      .openapi({ description: 'Where a prefix changed: which system message, or which tool' }),
  })
  .openapi('Notice', { description: 'Something worth knowing that is no failure' });

/** Something worth knowing that is no failure, as the event stream sends it. */
export type Notice = z.infer<typeof Notice>;

assertSame<IsSameOnWire<Notice, CoreNotice>>();

const GenerationStatus = z.enum(['running', 'done', 'waiting', 'failed', 'aborted']);

const Branch = z
  .object({
    head: z.string(),
    status: GenerationStatus,
    stop: Stop.optional(),
    pending: z.array(z.object({ id: z.string(), name: z.string(), rawParameters: z.string() })).optional(),
    error: z.object({ code: z.string(), message: z.string(), retryable: z.boolean() }).optional(),
  })
  .openapi('Branch');

assertSame<IsSameOnWire<z.infer<typeof Branch>, BranchState>>();

export const Generation = z
  .object({
    id: z.string(),
    node: z.string(),
    status: GenerationStatus,
    branches: z.array(Branch),
    model: z.string(),
    params: z.looseObject({}).optional(),
    tools: z.array(z.string()),
    label: z.string().optional(),
    thread: z.string().optional(),
    owner: z.string(),
    startedAt: z.number(),
    endedAt: z.number().optional(),
  })
  .openapi('Generation');

const text = { branch: z.number(), text: z.string() };
const call = { branch: z.number(), callId: z.string(), name: z.string() };

/** A later version may have more kinds: a client leaves out a kind that it does not know. */
export const GenerationEvent = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('text'), ...text }),
    z.object({ type: z.literal('reasoning'), ...text }),
    z.object({ type: z.literal('refusal'), ...text }),
    z.object({
      type: z.literal('tool-use'),
      branch: z.number(),
      index: z.number().openapi({ description: 'Tells parallel calls of one reply apart' }),
      id: z.string(),
      name: z.string(),
    }),
    z.object({ type: z.literal('tool-arguments'), index: z.number(), ...text }),
    z.object({ type: z.literal('unknown'), branch: z.number(), event: z.string().optional(), data: z.string() }),
    z.object({ type: z.literal('message'), branch: z.number(), node: z.string() }),
    z.object({ type: z.literal('tool-start'), ...call }),
    z.object({ type: z.literal('tool-result'), ...call }),
    z.object({ type: z.literal('approval'), ...call, arguments: z.string() }),
    z.object({
      type: z.literal('retry'),
      branch: z.number(),
      attempt: z.number(),
      waitMs: z.number(),
      reason: z.string(),
    }),
    z.object({ type: z.literal('notice'), branch: z.number(), notice: Notice }),
    z.object({
      type: z.literal('branch-end'),
      branch: z.number(),
      state: Branch,
      usage: Usage.extend({ native: z.string() }).optional(),
      cost: z.number().optional(),
    }),
    z
      .object({ type: z.literal('end'), branch: z.number(), status: GenerationStatus })
      .openapi({ description: 'The last one, until the generation is resumed' }),
  ])
  .openapi('GenerationEvent', { description: 'Ignore a type that you do not know.' });

export type GenerationEvent = z.infer<typeof GenerationEvent>;

type SentEvent = EngineEvent extends infer Event
  ? Event extends EngineEvent
    ? Event & { branch: number }
    : never
  : never;

assertSame<IsSameOnWire<GenerationEvent, SentEvent>>();
