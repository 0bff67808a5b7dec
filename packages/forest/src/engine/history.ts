import {
  type Checkpoint,
  joinManifest,
  type Manifest,
  type Message,
  rangeDigest,
  type Step,
  type ToolDefinition,
} from '@skein/core';
import {
  ForestError,
  preferLineage,
  readCheckpoints,
  readLineage,
  readManifest,
  readMessage,
  readTakes,
  readTools,
  selectTakes,
  type TakeFacts,
  withConversationSystem,
} from '../forest/index.ts';
import { ROOT, sha256 } from '../model/ids.ts';
import { storeManifest } from '../model/manifest.ts';
import { type BodyRecord, hasMessage, type NodeRecord, type TakeRecord } from '../model/records.ts';
import type { Store } from '../store/index.ts';

/** What a request below a node is made from: the messages of its path, and what was sent for them before. */
interface History {
  readonly path: readonly NodeRecord[];
  /** The messages of the path. */
  readonly stored: readonly Message[];
  /** The messages to send: those of the path, with the last system text of the conversation. */
  readonly messages: readonly Message[];
  /** How many more messages than nodes there are, because another system text replaces the one of the path. */
  readonly shift: number;
  readonly checkpoints: readonly Checkpoint[];
  /** The manifest of the last request on this path, so that the next one extends it with the same bytes. */
  readonly previous: { readonly digest: string; readonly manifest: Manifest } | undefined;
  /** The settings of the last request of this conversation; undefined when no model has answered yet. */
  readonly last: LastRequest | undefined;
}

/** The settings of the last request of a conversation. */
export interface LastRequest {
  readonly provider?: string;
  readonly model?: string;
  readonly params?: TakeRecord['params'];
  readonly tools: readonly ToolDefinition[];
}

/** Reads the path to a node. Throws when its beginning is missing: a model must not be sent half a history. */
async function wholePath(store: Store, node: string): Promise<NodeRecord[]> {
  const path = await store.path(node);
  const [first] = path;
  if (first && first.parent !== ROOT)
    throw new ForestError(
      'damaged',
      first.id,
      `Node ${first.parent} above ${first.id} is damaged or missing, so the history cannot be sent whole: run fsck.`,
    );
  return path;
}

/**
 * Reads what a conversation sends next below a node. With a thread, only the requests of that conversation count, not
 * those of others that share its nodes.
 */
export async function readHistory(
  store: Store,
  node: string,
  { issuer, thread }: { readonly issuer?: string; readonly thread?: string | undefined } = {},
): Promise<History> {
  const path = await wholePath(store, node);
  const ids = path.map(({ id }) => id);
  const lineage = thread === undefined ? undefined : await readLineage(store, thread);
  const [bodies, takes, found] = await Promise.all([
    store.bodies(path.map(({ body }) => body)),
    readTakes(store, ids),
    readCheckpoints(store, ids, lineage),
  ]);
  const own = ids.flatMap((id) => selectTakes(takes.get(id) ?? [], lineage));
  const stored = path.map((record, index) =>
    readMessage(store, record, bodies[index], preferLineage(takes.get(record.id) ?? [], lineage), issuer),
  );
  const reply = own.findLast(({ author, context, model }) => author === 'model' && (context ?? model) !== undefined);
  const messages = await withConversationSystem(store, stored, reply?.context);
  const shift = messages.length - stored.length;
  const digest = own.findLast(({ request }) => request)?.request?.manifest;
  return {
    path,
    stored,
    messages,
    shift,
    checkpoints: found.flatMap(({ checkpoint }) => shifted(checkpoint, stored, messages, shift)),
    previous: digest === undefined ? undefined : { digest, manifest: await readManifest(store, digest) },
    last: reply && (await lastRequest(store, reply)),
  };
}

/** A checkpoint counts the messages of the path; this adapts it to the messages that are sent. */
function shifted(
  checkpoint: Checkpoint,
  stored: readonly Message[],
  messages: readonly Message[],
  shift: number,
): Checkpoint[] {
  if (messages === stored) return [checkpoint];
  if (rangeDigest(stored, checkpoint.upTo) !== checkpoint.digest) return [];
  const upTo = checkpoint.upTo + shift;
  return [{ ...checkpoint, upTo, digest: rangeDigest(messages, upTo) }];
}

/** The reverse: adapts a checkpoint of the sent messages to the messages of the path. */
export function toStoredCheckpoint(checkpoint: Checkpoint, stored: readonly Message[], shift: number): Checkpoint {
  const upTo = checkpoint.upTo - shift;
  return { ...checkpoint, upTo, digest: rangeDigest(stored, upTo) };
}

async function lastRequest(store: Store, { provider, model, params, context }: TakeRecord): Promise<LastRequest> {
  return {
    ...(provider !== undefined && { provider }),
    ...(model && { model }),
    ...(params !== undefined && { params }),
    tools: context?.tools ? await readTools(store, context.tools) : [],
  };
}

/** Makes the take of a reply, and the bodies from which its exact request can be rebuilt. */
export function makeStepTake(
  step: Step,
  sent: readonly Message[],
  known: ReadonlySet<string>,
  previous: History['previous'],
  about: Pick<TakeFacts, 'generation' | 'params' | 'thread'> & {
    readonly tools: BodyRecord | undefined;
    readonly replacesLead: boolean;
  },
): { take: TakeFacts; bodies: readonly BodyRecord[]; stored: NonNullable<History['previous']> } {
  const {
    manifest,
    sent: form,
    provider,
    model,
    usage,
    estimated,
    cost,
    stop,
    envelope,
    requestId,
    durationMs,
    firstEventMs,
  } = step;
  const [head, stored] = storeManifest(manifest, previous);
  const body = joinManifest(manifest, (index) => sent[index]!.raw);
  const delta = form && makeBody(joinManifest(form, (index) => sent[index]!.raw));
  const others = sent.filter(({ facts }) => !known.has(facts.digest));
  const { tools, replacesLead, ...facts } = about;
  const take: TakeFacts = {
    via: 'generate',
    author: 'model',
    ...facts,
    context: {
      system: leadingSystem(sent).map(({ origin, facts: of }) => ({ dialect: origin.dialect, body: of.digest })),
      ...(replacesLead && { replacesLead }),
      ...(tools && { tools: tools.digest }),
    },
    provider,
    model,
    stop,
    durationMs,
    envelope: sha256(envelope),
    request: { manifest: stored.digest, sha256: sha256(body), ...(delta && { sent: delta.digest }) },
    ...(usage && { usage }),
    ...(estimated && { estimated }),
    ...(cost !== undefined && { cost }),
    ...(requestId !== undefined && { requestId }),
    ...(firstEventMs !== undefined && { firstEventMs }),
  };
  const bodies = [
    ...others.map(({ raw, facts }) => ({ k: 'body' as const, digest: facts.digest, text: raw })),
    { k: 'body' as const, digest: sha256(envelope), text: envelope },
    ...(tools ? [tools] : []),
    ...(delta ? [delta] : []),
    head,
    stored,
  ];
  return { take, bodies, stored: { digest: stored.digest, manifest } };
}

function makeBody(text: string): BodyRecord {
  return { k: 'body', digest: sha256(text), text };
}

function leadingSystem(sent: readonly Message[]): readonly Message[] {
  const end = sent.findIndex(({ role }) => role !== 'system');
  return end < 0 ? sent : sent.slice(0, end);
}

/** Pairs a reply and its alternatives with their takes. They share a request; only the take of the reply has its usage and cost. */
export function withAlternatives({ message, alternatives }: Pick<Step, 'message' | 'alternatives'>, take: TakeFacts) {
  const { usage: _usage, cost: _cost, estimated: _estimated, ...shared } = take;
  const others = alternatives.filter(hasMessage);
  return [
    { message, take },
    ...others.map((other) => ({ message: other.message, take: { ...shared, stop: other.stop } })),
  ];
}
