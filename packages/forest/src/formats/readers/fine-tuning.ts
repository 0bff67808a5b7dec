import { dialect } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import { membersWithout, readObject } from '../source/exact.ts';
import { lineUp } from './line-up.ts';
import { needRoles } from './messages.ts';
import type { Reader } from './reader.ts';

/** Where each dialect has the messages and the system text of a request. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'openai-chat': ['messages'],
  'openai-responses': ['input', 'instructions'],
  'anthropic-messages': ['messages', 'system'],
  'google-generatecontent': ['contents', 'systemInstruction', 'system_instruction'],
};

/** `{"messages":[…]}`, one conversation a line: what is behind the messages belongs to the last one. */
export const fineTuning: Reader = {
  element: 'conversation',
  inLines: true,
  read(text, { dialect: id = 'openai-chat' }) {
    const names = PLACES[id];
    if (!names) throw wrongShape(`one of the dialects ${Object.keys(PLACES).join(', ')}, not "${id}"`);
    const example = readObject(text, `{"${names[0]}":[…]} on each line`);
    if (!Array.isArray(example.value[names[0]!])) throw wrongShape(`{"${names[0]}":[…]} on each line`);
    const { system, messages } = dialect(id).readRequest(text);
    const all = needRoles([...(system ? [system] : []), ...messages], id);
    const extra = membersWithout(example, names);
    return {
      messages: lineUp(
        all.map((message, index) => ({
          message,
          take: { author: 'unknown', ...(index === all.length - 1 && Object.keys(extra).length > 0 && { extra }) },
        })),
      ),
    };
  },
};
