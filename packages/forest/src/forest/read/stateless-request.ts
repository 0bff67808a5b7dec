import {
  applyCheckpoint,
  dialect,
  findMembers,
  type Message,
  type ProviderDescriptor,
  providers,
  type RequestParts,
  type ToolDefinition,
  writeRequest,
} from '@skein/core';
import { serving } from '@skein/core/dialect';
import { sha256 } from '../../model/ids.ts';
import type { NodeRecord, TakeRecord } from '../../model/records.ts';
import type { Store } from '../../store/index.ts';
import { type Lineage, selectTakes } from '../threads/thread.ts';
import { joinTexts } from '../write/plain-text.ts';
import { readMessage, readTakes } from './read-nodes.ts';
import { readCheckpoints, readTools, withConversationSystem } from './sent-context.ts';
import { readSentRequest, type SentRequest } from './sent-request.ts';

/**
 * Reads the request that a node answers, as one that needs nothing of what the API keeps: with the whole history, the
 * system text and the tools, and without the id of a response, a thread or a conversation.
 */
export async function readStatelessRequest(store: Store, node: NodeRecord, lineage?: Lineage): Promise<SentRequest> {
  const sent = await readSentRequest(store, node, lineage, { isWhole: true });
  const spoken = dialect(sent.dialect);
  const { kept } = serving(spoken);
  const { model = sent.model, params, rest } = spoken.readRequest(sent.body);
  const isAnchor = (name: string) => kept?.anchors.includes(name) === true;
  if (!kept || !Object.keys(rest).some(isAnchor)) return sent;
  const { response, conversation } = kept.previous(parseMembers(rest));
  if (typeof response !== 'string' && typeof conversation !== 'string')
    return withBody(sent, withoutMembers(sent.body, isAnchor));
  const { messages, tools, issuer } = await readWholeHistory(store, node, lineage);
  const { body, losses } = writeRequest(spoken, {
    model,
    messages,
    tools,
    params,
    extra: withoutMembers(joinMembers(rest), isAnchor),
    provider: { ...findProvider(sent), ...(issuer !== undefined && { issuer }) },
  });
  return withBody({ ...sent, losses }, body);
}

/** What the model got before it wrote a node. */
interface WholeHistory {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Who issued the reply. */
  readonly issuer: string | undefined;
}

async function readWholeHistory(
  store: Store,
  { id, parent }: NodeRecord,
  lineage: Lineage | undefined,
): Promise<WholeHistory> {
  const path = await store.path(parent);
  const ids = path.map((node) => node.id);
  const [bodies, takes, checkpoints, own] = await Promise.all([
    store.bodies(path.map(({ body }) => body)),
    readTakes(store, ids),
    readCheckpoints(store, [...ids, id], lineage),
    store.takes([id]),
  ]);
  const reply = selectTakes(own, lineage).findLast(({ context }) => context !== undefined);
  const issuer = reply?.origin.issuer;
  const stored = path.map((node, index) =>
    readMessage(store, node, bodies[index], preferLineage(takes.get(node.id) ?? [], lineage), issuer),
  );
  const last = checkpoints.findLast(({ checkpoint }) => applyCheckpoint(stored, checkpoint) !== undefined);
  const sent = last ? applyCheckpoint(stored, last.checkpoint)! : stored;
  return {
    messages: joinTexts(await withConversationSystem(store, sent, reply?.context)),
    tools: reply?.context?.tools ? await readTools(store, reply.context.tools) : [],
    issuer,
  };
}

/** A text that several conversations share has its origin from this one's take. */
export function preferLineage(takes: readonly TakeRecord[], lineage: Lineage | undefined): readonly TakeRecord[] {
  const own = selectTakes(takes, lineage);
  return own.length > 0 ? own : takes;
}

/** The provider that the request went to; one that is not known here is taken for the home provider. */
function findProvider({ provider, dialect: spoken }: SentRequest): ProviderDescriptor {
  return providers().find((one) => one.id === provider && one.dialect === spoken) ?? dialect(spoken).home;
}

function withBody(sent: SentRequest, body: string): SentRequest {
  return { ...sent, body, sha256: sha256(body) };
}

function parseMembers(rest: RequestParts['rest']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, JSON.parse(text) as unknown]));
}

function joinMembers(rest: RequestParts['rest']): string {
  return `{${Object.entries(rest).map(([name, text]) => `${JSON.stringify(name)}:${text}`)}}`;
}

/** The same object without some members; all others keep their exact text. */
function withoutMembers(object: string, isLeftOut: (name: string) => boolean): string {
  const left = findMembers(object).filter(({ name }) => !isLeftOut(name));
  return joinMembers(Object.fromEntries(left.map(({ name, start, end }) => [name, object.slice(start, end)])));
}
