import type { Message, Reply } from '@skein/core';
import type { LossNote, ServedError } from '@skein/core/dialect';
import { type GatewayUse, issuedIds, type Recorder, readDelivered, replyIdKeys } from '@skein/forest';
import type { ClientHeaders } from '../../proxy/headers.ts';
import type { Redactor } from '../../redact.ts';
import type { ClientCall, Target } from '../client/client-call.ts';
import type { UpstreamAnswer, UpstreamTap } from '../request/exchange.ts';
import type { GatewayCaller } from '../tokens.ts';
import { GATEWAY_ISSUER, type Restorer } from './restore.ts';

/** Records one exchange of the gateway with both of its sides. */
export interface GatewayRecording {
  /** The id of the exchange. */
  readonly id: string;
  readonly tap: UpstreamTap;
  /** With the id of the response, unless it is the provider's own. */
  head(status: number, headers: Readonly<Record<string, string>>, isStream: boolean, responseId?: string): void;
  /** Text that goes to the client. With `isMore`, it has no id that was not sent before. */
  readonly text: (text: string, isMore?: boolean) => void;
  /**
   * Stores the exchange with its reply and the last text for the client, so that any server finds the reply when the client sends
   * it back. Never rejects.
   */
  keep(call: ClientCall, upstream: UpstreamAnswer, end: ReplyEnd, restorer: Restorer): Promise<void>;
  /** The exchange ended with an error that the client was told, or by the client. */
  fail(error: unknown, told: ServedError): void;
}

interface ReplyEnd {
  readonly reply: Reply;
  /** The last text for the client. */
  readonly last: string;
  readonly losses: readonly LossNote[];
}

interface RecordingOptions {
  readonly recorder: Recorder;
  /** Set if everything must be redacted before it is stored. */
  readonly redact: Redactor | undefined;
  readonly onError: (error: unknown) => void;
  readonly received: {
    readonly call: ClientCall;
    readonly url: string;
    readonly asked: ClientHeaders;
    readonly caller: Pick<GatewayCaller, 'token'>;
    readonly use: GatewayUse;
  };
  readonly targets: readonly Target[];
}

/** Ids in what the client gets: it may send a reply back by one of them. */
const SENT_IDS = /"(?:id|call_id)":"([\w-]{8,})"/g;

/** Made here: a function keeps all that stands around it, and this one outlives the exchange. */
function keptReply(reply: Reply, delivered: Message): Parameters<Restorer['remember']>[1] {
  return { reply, delivered: () => delivered };
}

/** For a client that wants no recording: nothing is stored, and no reply is found again. */
export function noRecording(id: string): GatewayRecording {
  return {
    id,
    tap: { request: () => undefined, head: () => undefined, push: () => undefined },
    head: () => undefined,
    text: () => undefined,
    keep: async () => undefined,
    fail: () => undefined,
  };
}

/** Begins to record an exchange. */
export function createGatewayRecording({
  recorder,
  redact,
  onError,
  received: {
    call,
    url,
    asked,
    caller: { token },
    use,
  },
  targets,
}: RecordingOptions): GatewayRecording {
  // The recorder must know the token to take it out of what it stores; it keeps only harmless headers.
  const headers = token === undefined ? call.headers : new Map(call.headers).set('x-skein-token', token);
  const body = call.body ?? '';
  const first = targets[0]?.provider;
  const recording = recorder.begin({
    ...{ method: call.method, url, headers, provider: call.dialect.home.id },
    body: redact ? redact(body) : body,
    ...(redact && { hintBody: body }),
    issuer: first?.dialect === call.dialect.id ? first.issuer : GATEWAY_ISSUER,
    tags: redact ? redact(asked.tags) : asked.tags,
    ...(asked.thread !== undefined && { thread: asked.thread }),
    gateway: use,
  });
  /** What the client got, where it may have to be read. */
  let sent = '';
  let isSentKept = true;
  const ids = new Set<string>();
  let isBegun = false;
  /** Whether the client has other names or ids than the provider. */
  let hasOtherNames = false;
  /** Bytes of the provider that must be redacted before they are stored. */
  let held: Uint8Array[] = [];

  const noteIds = (text: string) => {
    for (let found = SENT_IDS.exec(text); found; found = SENT_IDS.exec(text)) ids.add(found[1]!);
  };
  const pushHeld = () => {
    if (redact && held.length > 0) recording.upstreamPush(Buffer.from(redact(Buffer.concat(held).toString())));
    held = [];
  };
  const pushSent = () => {
    if (redact) recording.push(redact(sent));
  };

  return {
    id: recording.id,
    tap: {
      request(target, body, { target: { provider, model }, dialect, request, prefix, losses }) {
        held = [];
        hasOtherNames = request.calls !== undefined || (request.served?.size ?? 0) > 0;
        const readWords = () => {
          try {
            request.readWords?.();
          } catch {
            // It fails again when the reply is kept.
          }
        };
        // The request goes out first. Until the provider answers, there is time for what the reply would wait for.
        setImmediate(readWords);
        recording.upstream({
          ...{ provider: provider.id, dialect: dialect.id, issuer: provider.issuer, model },
          ...{ url: target, body: redact ? redact(body) : body, losses },
          ...(prefix !== undefined && { prefix }),
          ...(request.renamed && Object.keys(request.renamed).length > 0 && { restored: request.renamed }),
          ...(request.calls && { calls: request.calls }),
          ...(request.continues !== undefined && { continues: request.continues }),
        });
      },
      head: (status, given) => recording.upstreamHead(status, given),
      push(bytes) {
        if (redact) held.push(bytes);
        else recording.upstreamPush(bytes);
      },
    },
    head(status, given, isStream, responseId) {
      isBegun = true;
      // The provider's own text shows the provider's own words.
      isSentKept = redact !== undefined || responseId !== undefined || hasOtherNames;
      const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json';
      recording.head(status, Object.entries({ 'content-type': type, ...given }), responseId);
    },
    text(text, isMore = false) {
      if (isSentKept) sent += text;
      if (!isMore) noteIds(text);
      if (!redact) recording.push(text);
    },
    async keep({ dialect }, { request }, { reply, last, losses }, restorer) {
      pushHeld();
      const choices = [reply.message, ...reply.alternatives.map(({ message }) => message)];
      // What a client gets without losses shows the same words.
      const isOther = isSentKept && (losses.length > 0 || hasOtherNames);
      sent += last;
      const delivered = isOther ? readDelivered(dialect, sent) : reply.message;
      const wordsKey = request.readWords?.();
      const words = [...new Set([...choices, delivered])].flatMap((message) => wordsKey?.(message) ?? []);
      noteIds(last);
      const keys = [
        ...replyIdKeys([...ids, ...choices.flatMap((message) => issuedIds(message))]),
        ...new Set(words),
        ...(request.replyKeys ?? []),
      ];
      restorer.remember(recording.id, keptReply(reply, delivered));
      if (redact) pushSent();
      else recording.push(last);
      await recording.keepReply(keys, losses).catch(onError);
    },
    fail(error, { status }) {
      pushHeld();
      pushSent();
      // A stream that has begun has its status.
      if (!isBegun) recording.head(status, []);
      recording.end('cut', error);
    },
  };
}
