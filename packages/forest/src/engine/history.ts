import {
  type Checkpoint,
  dialect,
  joinManifest,
  type Manifest,
  type Message,
  rangeDigest,
  type Step,
  type ToolDefinition,
} from '@skein/core';
import {
  ForestError,
  type Lineage,
  readCheckpoints,
  readLineage,
  readManifest,
  readMessage,
  readTakes,
  selectTakes,
  type TakeFacts,
} from '../forest/index.ts';
import {
  type BodyRecord,
  hasMessage,
  type NodeRecord,
  ROOT,
  sha256,
  storeManifest,
  type TakeContext,
  type TakeRecord,
} from '../model/index.ts';
import type { Store } from '../store/index.ts';
import { readTools } from './tools.ts';

/** What a request below a node is made from: the texts of its path, and what was sent for them before. */
interface History {
  readonly path: readonly NodeRecord[];
  /** The messages of the path. */
  readonly stored: readonly Message[];
  /** What is sent: those, with the system text that the conversation had last. */
  readonly messages: readonly Message[];
  /** How many more messages than nodes there are, because another system text stands at the front. */
  readonly shift: number;
  readonly checkpoints: readonly Checkpoint[];
  /** Of the last request on this path, so that it is sent with the texts it was made with. */
  readonly previous: { readonly digest: string; readonly manifest: Manifest } | undefined;
  /** What the last reply of this conversation was asked with; absent where no model has answered yet. */
  readonly last: LastRequest | undefined;
}

/** The settings of the last request of a conversation. */
export interface LastRequest {
  readonly provider?: string;
  readonly model?: string;
  readonly params?: TakeRecord['params'];
  readonly tools: readonly ToolDefinition[];
}

/** A model must not be sent a history of which the beginning is missing. */
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
 * Reads what a conversation sends next below a node. With a thread, only what that conversation itself was sent with
 * counts; nodes that it shares with others say nothing of them.
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

/** A text that several conversations share has its origin from this one's take. */
function preferLineage(takes: readonly TakeRecord[], lineage: Lineage | undefined): readonly TakeRecord[] {
  const own = selectTakes(takes, lineage);
  return own.length > 0 ? own : takes;
}

/** The messages below the system text of the conversation's last request, where that is another than the path begins with. */
async function withConversationSystem(
  store: Store,
  stored: readonly Message[],
  context: TakeContext | undefined,
): Promise<readonly Message[]> {
  if (!context?.replacesLead) return stored;
  const end = stored.findIndex(({ role }) => role !== 'system');
  const rest = end < 0 ? [] : stored.slice(end);
  const texts = await store.bodies(context.system.map(({ body }) => body));
  // Without its text there is nothing truer than what the path begins with.
  if (texts.some((text) => text === undefined)) return stored;
  const system = context.system.map(({ dialect: spoken }, index) => dialect(spoken).parseMessage(texts[index]!));
  return [...system, ...rest];
}

/** A checkpoint counts the messages of the path: behind another system text it stands for the same ones. */
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

/** The same for one that was made of what is sent: as it stands for the messages of the path. */
export function toStoredCheckpoint(checkpoint: Checkpoint, stored: readonly Message[], shift: number): Checkpoint {
  const upTo = checkpoint.upTo - shift;
  return { ...checkpoint, upTo, digest: rangeDigest(stored, upTo) };
}

async function lastRequest(store: Store, { provider, model, params, context }: TakeRecord): Promise<LastRequest> {
  return {
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(params !== undefined && { params }),
    tools: context?.tools ? await readTools(store, context.tools) : [],
  };
}

/** What a reply says of itself, and the texts that its exact request is put together from. */
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
  const { manifest, provider, model, usage, estimated, cost, stop, envelope, requestId, durationMs, firstEventMs } =
    step;
  const [head, stored] = storeManifest(manifest, previous);
  const body = joinManifest(manifest, (index) => sent[index]!.raw);
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
    request: { manifest: stored.digest, sha256: sha256(body) },
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
    head,
    stored,
  ];
  return { take, bodies, stored: { digest: stored.digest, manifest } };
}

function leadingSystem(sent: readonly Message[]): readonly Message[] {
  const end = sent.findIndex(({ role }) => role !== 'system');
  return end < 0 ? sent : sent.slice(0, end);
}

/** A reply and its alternatives. They share a request, and what was spent is said once: of the reply. */
export function withAlternatives({ message, alternatives }: Pick<Step, 'message' | 'alternatives'>, take: TakeFacts) {
  const { usage: _usage, cost: _cost, estimated: _estimated, ...shared } = take;
  const others = alternatives.filter(hasMessage);
  return [
    { message, take },
    ...others.map((other) => ({ message: other.message, take: { ...shared, stop: other.stop } })),
  ];
}
