import {
  type Dialect,
  dialect,
  dialects,
  type Loss,
  type Message,
  providers,
  type RequestMembers,
  textAt,
  writeRequest,
} from '@skein/core';
import { joinTexts } from '../../forest/index.ts';
import { FormatError } from '../format-error.ts';
import type { ExportedConversation } from './conversations.ts';

export interface ExportedText {
  readonly text: string;
  readonly losses: readonly Loss[];
}

/**
 * Writes a conversation as a list of messages, as a request of the dialect has it. A system text outside the list is a
 * loss.
 */
export function toMessageArray(conversation: ExportedConversation, id: string): ExportedText {
  const { messages, system } = requestMembers(id);
  const { body, losses } = writeAs(conversation, id);
  const outside = system.filter((name) => textAt(body, [name]) !== undefined);
  const more = outside.map((path): Loss => ({ kind: 'dropped', message: -1, path, reason: 'inline-system' }));
  return { text: textAt(body, [messages]) ?? '[]', losses: [...losses, ...more] };
}

/** Writes a conversation as `{"messages":[…]}`, with the system text and the tools where the dialect has them. */
export function toFineTuningLine(conversation: ExportedConversation, id: string): ExportedText {
  const { body, losses } = writeAs(conversation, id);
  const { messages, system, tools = 'tools' } = requestMembers(id);
  const members = [...system, messages, tools].flatMap((name) => {
    const text = textAt(body, [name]);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return { text: `{${members.join(',')}}`, losses };
}

function requestMembers(id: string): RequestMembers {
  const target = exportDialects().find((one) => one.id === id);
  if (target?.members) return target.members;
  const known = exportDialects().map((one) => one.id);
  throw new FormatError(
    'unknown_format',
    `Messages cannot be exported in the dialect "${id}". Use one of ${known.join(', ')}.`,
  );
}

/**
 * The dialects that a conversation can be exported in, and imported from.
 *
 * @example
 * exportDialects().map(({ id }) => id);
 */
export function exportDialects(): readonly Dialect[] {
  return dialects().filter(({ members }) => members !== undefined);
}

/** The dialect that a provider speaks. */
export function dialectOfProvider(name: string): string {
  return providers().find(({ id }) => id === name)!.dialect;
}

/** Writes the request that the conversation would be, ending with its last message. */
function writeAs({ nodes, tools }: ExportedConversation, id: string) {
  const target = dialect(id);
  const messages = joinTexts(nodes.map(({ message, takes }) => withOrigin(message, takes, target.home.issuer)));
  // For another model, content that is bound to a model would be left out.
  const model = messages.findLast(({ origin }) => origin.dialect === id && origin.model)?.origin.model ?? 'any';
  // A request may have to end with a question, but an exported conversation may end with a reply.
  const provider = { ...target.home, policies: { ...target.home.policies, prefill: { default: 'yes' } } } as const;
  return writeRequest(target, { model, messages, provider, ...(tools.length > 0 && { tools }) });
}

/** A text may have several origins; that of the dialect's home provider fits best. */
function withOrigin(message: Message, takes: ExportedConversation['nodes'][number]['takes'], issuer: string): Message {
  const take = takes.find(({ origin }) => origin.issuer === issuer);
  return take ? dialect(message.origin.dialect).parseMessage(message.raw, take.origin, message.facts) : message;
}
