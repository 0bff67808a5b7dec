import type { Dialect } from '@skein/core';
import { serving } from '@skein/core/dialect';
import { dropVendorTexts, keepTools, placeCacheMarks } from './cache-marks.ts';
import type { ClientCall, Target } from './client-call.ts';
import { type AdaptedTools, adaptTools } from './client-tools.ts';
import type { OutgoingRequest } from './exchange.ts';
import { type AdaptedRequest, adaptParams } from './params.ts';

/** A client's request in the words of a target, and what its answer needs to be told in the client's. */
export type RequestForTarget = AdaptedRequest & Pick<AdaptedTools, 'served'>;

/**
 * Says a client's request in the words of a target. `last` are the tools of the
 * thread's last request, as its client sent them. Throws a
 * `ClientRefusal` for what can neither be said nor be done by the gateway.
 */
export function adaptRequest(
  given: OutgoingRequest,
  call: Pick<ClientCall, 'dialect' | 'server'>,
  target: Target,
  dialect: Dialect,
  last?: OutgoingRequest['tools'],
): RequestForTarget {
  if (given.relayed !== undefined) return { ...given, copies: 1, stops: [], served: new Map() };
  const upstream = { dialect, server: serving(dialect) };
  const isSame = call.dialect.id === dialect.id;
  const tools = isSame ? given.tools : keepTools(given.tools, last);
  const { request, served } = adaptTools(dropVendorTexts({ ...given, tools }, call, target), call, target, upstream);
  const { copies, stops, ...adapted } = adaptParams(request, call, target, upstream);
  const paramNames = call.server.meaning?.params ?? {};
  return { ...placeCacheMarks(adapted, target, upstream), copies, stops, served, offered: tools, paramNames };
}
