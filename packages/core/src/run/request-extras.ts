/** What only some requests need: a conversation that the API keeps, a WebSocket, a warm-up, a diagnosis. Loaded on first use. */
import { writeRequest } from '../dialects/index.ts';
import { type JsonObject, textAt } from '../json/index.ts';
import type { Message } from '../message/index.ts';
import type { SocketLane } from '../providers/transport/socket-session.ts';
import type { Journal } from './journal.ts';
import { type RunContext, type SendResult, type Target, targetName } from './question.ts';
import { ServerStateKeeper } from './server-state.ts';
import type { Steering } from './steering.ts';

/** What the requests to one model have in common. */
interface RequestExtras {
  readonly keeper: ServerStateKeeper | undefined;
  /** Members of the body. */
  members(): JsonObject;
  noteReply(sent: SendResult): void;
}

export async function prepareExtras(context: RunContext, target: Target): Promise<RequestExtras> {
  const { options, journal } = context;
  const isSocket = options.transport !== undefined && options.transport !== 'http';
  const keeper = options.serverState || isSocket ? await findKeeper(context, target) : undefined;
  if (isSocket) await findLane(context, target);
  const warmUp = options.warmUp ? findWarmUp(target, isSocket) : {};
  const diagnosis = options.cacheDiagnosis ? await target.dialect.cacheDiagnosis?.() : undefined;
  return {
    keeper,
    members: () => ({ ...diagnosis?.members(findResponseId(journal, target)), ...warmUp }),
    noteReply({ reply }) {
      const miss = reply && diagnosis?.readMiss(reply.envelope);
      if (miss) journal.notice('cache-miss', `${targetName(target)} did not use its cache: ${miss}`);
    },
  };
}

/** From now on, what the caller adds goes into the response that comes over this lane. */
export function steerInto(lane: SocketLane, steering: Steering, target: Target): void {
  steering.open((message, told) => lane.steer(writeItems(message, target), told));
}

/** The id of the last response of a provider in this conversation, as far as it is known. */
function findResponseId({ steps, manifest }: Journal, { provider }: Target): string | undefined {
  const last = steps.at(-1);
  if (!last) return manifest?.response?.id;
  const id = last.provider === provider.id ? textAt(last.envelope, ['id']) : undefined;
  return id?.startsWith('"') ? (JSON.parse(id) as string) : undefined;
}

async function findKeeper(
  { keepers, journal, options, session }: RunContext,
  target: Target,
): Promise<ServerStateKeeper | undefined> {
  const known = keepers.get(target);
  const state = known ? undefined : await target.dialect.serverState?.();
  if (!state) return known;
  const answers = options.serverState ? undefined : (await session()).answers;
  const made = new ServerStateKeeper(state, target, journal, answers);
  keepers.set(target, made);
  return made;
}

async function findLane({ lanes, options, stopping, session }: RunContext, target: Target): Promise<void> {
  if (lanes.has(target)) return;
  const protocol = await target.dialect.socket?.();
  if (!protocol || options.stream === false)
    throw new TypeError(
      protocol
        ? 'Over a WebSocket every reply is a stream: leave out "stream: false", or the transport "websocket"'
        : `${targetName(target)} is not spoken over a WebSocket: leave out the transport "websocket"`,
    );
  const lane = (await session()).lane(protocol);
  lane.isWarmUp = options.warmUp === true;
  if (!stopping.stopped) lanes.set(target, lane);
}

/** The members of a request that generates nothing. Over a WebSocket the message says so. */
function findWarmUp(target: Target, isSocket: boolean): JsonObject {
  if (isSocket) return {};
  const { warmUp } = target.dialect;
  if (!warmUp) throw new TypeError(`${targetName(target)} has no request that only warms up: leave out "warmUp"`);
  return warmUp;
}

/** A message as elements of the list of messages. */
function writeItems(message: Message, { dialect, provider, model }: Target): string {
  const { body } = writeRequest(dialect, { model, provider, messages: [message] });
  return textAt(body, [dialect.members!.messages])!.slice(1, -1);
}
