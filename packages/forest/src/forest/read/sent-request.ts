import { diffPrefix, joinManifest, type Loss, type Manifest, type PrefixDifference } from '@skein/core';
import { DamageError } from '../../model/damage.ts';
import { sha256 } from '../../model/ids.ts';
import { restoreManifest } from '../../model/manifest.ts';
import { type NodeRecord, type TakeRecord, unpackBytes } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { ForestError } from '../errors.ts';
import { type Lineage, selectTakes } from '../threads/thread.ts';

/** The exact request that a model answered. */
export interface SentRequest {
  readonly body: string;
  readonly sha256: string;
  readonly dialect: string;
  readonly model: string;
  readonly provider?: string;
  /** Host and path, for a recorded exchange. */
  readonly address?: string;
  /** What the request did not carry unchanged, where that is known. */
  readonly losses?: readonly Loss[];
}

/**
 * Reads the exact text of the latest request that a node answers, of one lineage or of any thread. With `isWhole`, a
 * request that the API completed is returned complete, as far as it is known.
 */
export async function readSentRequest(
  store: Store,
  node: NodeRecord,
  lineage?: Lineage,
  { isWhole = false } = {},
): Promise<SentRequest> {
  const { id } = node;
  const takes = selectTakes(await store.takes([id]), lineage);
  const take = takes.findLast(({ request }) => request !== undefined);
  const recorded = takes.findLast(({ exchange, author }) => exchange !== undefined && author === 'model');
  if (!take && recorded) return readRecordedRequest(store, node, recorded);
  if (!take?.request)
    throw new ForestError('no_request', id, `No request is stored for node ${id}: no model wrote it here.`);
  try {
    const whole = await rebuildRequest(store, take.request);
    const { sent } = take.request;
    const body = isWhole || sent === undefined ? whole.body : need((await store.bodies([sent]))[0], sent);
    return { ...whole, body, sha256: sha256(body), ...(take.provider && { provider: take.provider }) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ForestError('damaged', id, `The request of node ${id} cannot be rebuilt: ${why}. Run fsck.`, cause);
  }
}

/** Reads the latest request that is stored for a node of a path, searching upwards from its end. */
async function readLastSentRequest(
  store: Store,
  path: readonly NodeRecord[],
  lineage: Lineage | undefined,
): Promise<SentRequest | undefined> {
  const takes = selectTakes(await store.takes(path.map(({ id }) => id)), lineage);
  const sent = new Set(takes.filter(hasRequest).map(({ node }) => node));
  const last = path.findLast(({ id }) => sent.has(id));
  return last && readSentRequest(store, last, lineage);
}

function hasRequest({ request, exchange, author }: TakeRecord): boolean {
  return request !== undefined || (exchange !== undefined && author === 'model');
}

/** Says where a request differs from the last one of a path; undefined when the two are of different protocols. */
export async function diffFromLastRequest(
  store: Store,
  path: readonly NodeRecord[],
  next: Pick<SentRequest, 'body' | 'dialect'>,
  lineage?: Lineage,
): Promise<PrefixDifference | undefined> {
  const before = await readLastSentRequest(store, path, lineage);
  return before?.dialect === next.dialect ? diffPrefix(before.body, next.body) : undefined;
}

/** Rebuilds a request from its stored texts. Throws when one is missing or the hash of the result is wrong. */
export async function rebuildRequest(store: Store, request: NonNullable<TakeRecord['request']>): Promise<SentRequest> {
  const manifest = await readManifest(store, request.manifest);
  const texts = await store.bodies(manifest.messages);
  const body = joinManifest(manifest, (index) => need(texts[index], manifest.messages[index]!));
  const hash = sha256(body);
  if (hash !== request.sha256) throw new DamageError(`its hash is ${hash}, not ${request.sha256}`);
  const { dialect, model, losses } = manifest;
  return { body, sha256: hash, dialect, model, losses };
}

/** Reads a stored manifest. Throws when one of its texts is missing. It has no `prefix`: that is computed where needed. */
export async function readManifest(store: Store, digest: string): Promise<Manifest> {
  const restored = await restoreManifest(digest, async (each) => need((await store.bodies([each]))[0], each));
  return restored as Manifest;
}

function need(text: string | undefined, digest: string): string {
  if (text === undefined) throw new DamageError(`the text ${digest} is missing`);
  return text;
}

/** Reads the request of a recorded reply, whose exact bytes are stored with the exchange and not as a manifest. */
async function readRecordedRequest(
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
      `The request of node ${node.id} does not match the hash of exchange ${exchange}: run fsck.`,
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
