import { dialect } from '@skein/core';
import { DIALECT_PLACES } from '../dialect-places.ts';
import { wrongShape } from '../format-error.ts';
import { membersWithout, readObject } from '../source/exact.ts';
import { lineUp } from './line-up.ts';
import { needRoles } from './messages.ts';
import type { Reader } from './reader.ts';

/** `{"messages":[…]}`, one conversation a line: what is behind the messages belongs to the last one. */
export const fineTuning: Reader = {
  element: 'conversation',
  inLines: true,
  read(text, { dialect: id = 'openai-chat' }) {
    const names = DIALECT_PLACES[id];
    if (!names) throw wrongShape(`one of the dialects ${Object.keys(DIALECT_PLACES).join(', ')}, not "${id}"`);
    const example = readObject(text, `{"${names[0]}":[…]} on each line`);
    if (!Array.isArray(example.value[names[0]])) throw wrongShape(`{"${names[0]}":[…]} on each line`);
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
