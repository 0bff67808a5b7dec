import { queryOptions } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { api, unwrap } from './client.ts';
import { queryClient } from './queries.ts';

type Cassettes = InferResponseType<(typeof api)['cassettes']['$get'], 200>;

/** A recorded exchange in a file. */
export type Cassette = Cassettes['items'][number];

/** A part of requests that is not compared. */
export type IgnoreRule = Cassettes['rules'][number];

/** Which recorded requests the cassettes would answer. */
export type CassetteCheck = InferResponseType<(typeof api)['cassettes']['check']['$get'], 200>;

export function cassettesQuery() {
  return queryOptions({ queryKey: ['cassettes'], queryFn: () => unwrap(api.cassettes.$get()) });
}

/** Compares the recorded requests since a time, or all of them, with the cassettes. */
export function checkCassettes(since: number | undefined): Promise<CassetteCheck> {
  return unwrap(api.cassettes.check.$get({ query: since === undefined ? {} : { since: String(since) } }));
}

/** Adds rules that a person accepted to those of the cassettes. */
export async function acceptRules(rules: readonly IgnoreRule[]): Promise<void> {
  const cassettes = await unwrap(
    api.cassettes.rules.$post({ json: { rules: rules.map(({ kind: _told, ...rule }) => rule) } }),
  );
  queryClient.setQueryData(cassettesQuery().queryKey, cassettes);
}
