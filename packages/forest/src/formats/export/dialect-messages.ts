import { dialect, type Loss, type Message, textAt } from '@skein/core';
import { joinTexts } from '../../forest/join-texts.ts';
import { DIALECT_PLACES } from '../dialect-places.ts';
import { FormatError } from '../format-error.ts';
import type { ExportedConversation } from './conversations.ts';

export interface Written {
  readonly text: string;
  readonly losses: readonly Loss[];
}

/** `[…]`: the messages as a request of the dialect would have them. A system text that stands outside is a loss. */
export function messageArray(conversation: ExportedConversation, id: string): Written {
  const [place, ...others] = placesOf(id);
  const { body, losses } = writeAs(conversation, id);
  const outside = others.filter((name) => textAt(body, [name]) !== undefined);
  const more = outside.map((path): Loss => ({ kind: 'dropped', message: -1, path, reason: 'inline-system' }));
  return { text: textAt(body, [place]) ?? '[]', losses: [...losses, ...more] };
}

/** `{"messages":[…]}` of one conversation, with the system text where the dialect has it. */
export function fineTuningLine(conversation: ExportedConversation, id: string): Written {
  const { body, losses } = writeAs(conversation, id);
  const members = placesOf(id).flatMap((name) => {
    const text = textAt(body, [name]);
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return { text: `{${members.toReversed().join(',')}}`, losses };
}

function placesOf(id: string): readonly [string, ...string[]] {
  const places = DIALECT_PLACES[id];
  if (places) return places;
  throw new FormatError(
    'unknown_format',
    `Messages cannot be exported as "${id}"; give one of ${Object.keys(DIALECT_PLACES).join(', ')}.`,
  );
}

function writeAs({ nodes }: ExportedConversation, id: string) {
  const target = dialect(id);
  const messages = joinTexts(nodes.map(({ message, takes }) => withOrigin(message, takes, target.home.issuer)));
  // For another model, what is bound to one would be left out.
  const model = messages.findLast(({ origin }) => origin.dialect === id && origin.model)?.origin.model ?? 'any';
  // A request may have to end with a question; a conversation ends as it ends.
  const provider = { ...target.home, policies: { ...target.home.policies, prefill: { default: 'yes' } } } as const;
  return target.writeRequest({ model, messages, provider });
}

/** One text can have been issued by several: where one of them is who the dialect is at home with, it fits best. */
function withOrigin(message: Message, takes: ExportedConversation['nodes'][number]['takes'], issuer: string): Message {
  const take = takes.find(({ origin }) => origin.issuer === issuer);
  return take ? dialect(message.origin.dialect).parseMessage(message.raw, take.origin, message.facts) : message;
}
