import { isText, loneSurrogates } from '../json/index.ts';
import { createMessage, type Facts, type Message, type Origin, type ViewOf } from '../message/index.ts';
import type { Dialect, DialectSpec, RawReply } from './dialect.ts';
import { ProtocolError, type Reply } from './reply.ts';
import { writeRequest } from './write/write-request.ts';

/** A dialect from what its protocol brings. */
export function makeDialect(spec: DialectSpec): Dialect {
  const home: Origin = {
    dialect: spec.id,
    issuer: spec.home.issuer,
    ...(spec.home.apiVersion && { apiVersion: spec.home.apiVersion }),
  };
  const origins = new WeakMap<object, Origin>();
  // Messages of one list share their origins.
  const originOf = (given: Partial<Origin> = home): Origin => {
    const known = origins.get(given);
    if (known) return known;
    const origin = Object.freeze({ ...home, ...withoutUndefined(given), dialect: spec.id });
    if (Object.isFrozen(given)) origins.set(given, origin);
    return origin;
  };
  const viewOf: ViewOf = (raw, origin) => {
    const view = spec.view(raw, origin);
    return loneSurrogates(raw).length > 0 ? { ...view, needs: [...view.needs, 'surrogate'] } : view;
  };
  const messageOf = (raw: string, origin: Origin, facts?: Facts): Message => createMessage(raw, origin, viewOf, facts);

  return Object.freeze({
    id: spec.id,
    home: spec.home,
    parseMessage(raw: string, origin?: Partial<Origin>, facts?: Facts) {
      const message = messageOf(raw, originOf(origin), facts);
      if (!facts) protocolText(spec.id, raw, () => message.content);
      return message;
    },
    readResponse(body: string, origin?: Partial<Origin>) {
      return replyOf(
        protocolText(spec.id, body, () => spec.readReply(body)),
        originOf(origin),
        messageOf,
      );
    },
    readStream(origin?: Partial<Origin>) {
      const assembler = spec.assemble(originOf(origin));
      return {
        push: (event: string | undefined, data: string) => assembler.push(event, data),
        finish: () => {
          const raw = assembler.finish();
          return replyOf(raw, raw.cut ? { ...originOf(origin), cut: true } : originOf(origin), messageOf);
        },
      };
    },
    readRequest(body: string, origin?: Partial<Origin>) {
      const { model, system, messages, ...rest } = protocolText(spec.id, body, () => spec.readRequest(body));
      const from = originOf(origin);
      return {
        ...rest,
        model: isText(model) ? model : undefined,
        system: system === undefined ? undefined : messageOf(system, from),
        messages: messages.map((raw) => messageOf(raw, from)),
      };
    },
    writeRequest: (request) => writeRequest(spec, request),
    defaultMaxTokens: spec.writer.defaultMaxTokens,
    title: spec.title,
    endpoints: spec.endpoints,
    members: spec.members,
    output: spec.output,
    serve: spec.serve,
  } satisfies Dialect);
}

function replyOf(raw: RawReply, origin: Origin, messageOf: (raw: string, origin: Origin) => Message): Reply {
  const { model, upstream } = raw;
  const from: Origin = Object.freeze({
    ...origin,
    ...(isText(model) && { model }),
    ...(isText(model) && origin.model !== undefined && origin.model !== model && { requestedModel: origin.model }),
    ...(isText(upstream) && { upstream }),
  });
  const [first, ...others] = raw.choices.map((choice) => ({ message: messageOf(choice.raw, from), stop: choice.stop }));
  return { message: first!.message, stop: first!.stop, alternatives: others, usage: raw.usage, envelope: raw.envelope };
}

/** Text that cannot be this protocol is an error with the text attached, whatever step found it. */
function protocolText<T>(dialect: string, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    throw new ProtocolError(dialect, error instanceof Error ? error.message : String(error), text, error);
  }
}

/** What was not given is not given: an explicit `undefined` says no more than a missing member. */
function withoutUndefined(given: Partial<Origin>): Partial<Origin> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
