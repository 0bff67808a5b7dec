import { createRoute, z } from '@hono/zod-openapi';
import { answerSync, type Forest, type SyncPeer, storePeer } from '@skein/forest';
import { Problem } from '../http/problem.ts';
import { answers, apiRouter, jsonBody } from './router.ts';

const call = createRoute({
  method: 'post',
  path: '/sync',
  tags: ['import and export'],
  summary: 'One call of the sync protocol, for skein push, pull and sync',
  request: {
    body: jsonBody(
      z.object({
        version: z.number(),
        call: z.string().max(40),
        selection: z.string().max(40).optional(),
        list: z.array(z.unknown()).optional(),
      }),
    ),
  },
  responses: answers(z.object({ result: z.unknown() })),
});

/** A peer reads the whole store once, so each forest has one. */
const peers = new WeakMap<Forest, SyncPeer>();

export const sync = apiRouter().openapi(call, async (c) => {
  const { forest, isRedacting } = c.var.services;
  if (isRedacting)
    throw new Problem('would_lose', 'This server hides texts, and a sync is exact: take "redaction" away.', {
      status: 409,
    });
  let peer = peers.get(forest);
  if (!peer) {
    peer = storePeer(forest.store);
    peers.set(forest, peer);
  }
  const { result } = await answerSync(peer, c.req.valid('json'));
  return c.json({ result }, 200);
});
