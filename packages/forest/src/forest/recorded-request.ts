import { type NodeRecord, sha256, type TakeRecord, unpackBytes } from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { ForestError } from './errors.ts';
import type { SentRequest } from './types.ts';

/** The request of a reply that was recorded: its exact bytes are kept with the exchange, not as a manifest. */
export async function recordedRequest(
  store: Store,
  node: NodeRecord,
  { exchange, model, provider }: TakeRecord,
): Promise<SentRequest> {
  const [head, part] = await Promise.all([
    store.entry('exchange', exchange ?? ''),
    store.entry('exchange', `${exchange}/request`),
  ]);
  const bytes = unpackBytes(part?.data);
  const body = bytes && Buffer.from(bytes).toString();
  const hash = body === undefined ? undefined : sha256(body);
  const expected = head?.data.requestSha256;
  if (body === undefined || hash === undefined || (expected !== undefined && expected !== hash))
    throw new ForestError(
      'damaged',
      node.id,
      `The request of node ${node.id} is not what exchange ${exchange} was recorded with: run fsck.`,
    );
  const { host, path } = head?.data ?? {};
  return {
    body,
    sha256: hash,
    dialect: node.dialect,
    model: model ?? '',
    ...(provider !== undefined && { provider }),
    ...(typeof host === 'string' && typeof path === 'string' && { address: `${host}${path}` }),
  };
}
