import { openaiChat } from '@skein/core';
import { exportDialects } from '../export/dialect-messages.ts';
import { wrongShape } from '../format-error.ts';
import { membersWithout, readObject } from '../source/exact.ts';
import { lineUp } from './line-up.ts';
import { needRoles } from './messages.ts';
import type { Reader } from './reader.ts';

/** `{"messages":[…]}`, one conversation a line: what is behind the messages belongs to the last one. */
export const fineTuning: Reader = {
  element: 'conversation',
  inLines: true,
  read(text, { dialect: id = openaiChat.id }) {
    const known = exportDialects();
    const spoken = known.find((one) => one.id === id);
    if (!spoken?.members) throw wrongShape(`one of the dialects ${known.map((one) => one.id).join(', ')}, not "${id}"`);
    const names = [spoken.members.messages, ...spoken.members.system] as const;
    const example = readObject(text, `{"${names[0]}":[…]} on each line`);
    if (!Array.isArray(example.value[names[0]])) throw wrongShape(`{"${names[0]}":[…]} on each line`);
    const { system, messages } = spoken.readRequest(text);
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
