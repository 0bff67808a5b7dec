import type { LossNote } from '../loss.ts';
import {
  type BodyMember,
  type Frame,
  type FrameParts,
  frameText,
  isOwn,
  systemTexts,
  type Target,
  toolTexts,
} from '../write/index.ts';
import { joinedTexts, messageText } from './forms.ts';
import { spliceMessage } from './splice-message.ts';
import { paramMembers } from './write-params.ts';

/** System messages stand first in the message list, in their own words where this issuer gave them. */
export function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const lead = system.flatMap((message, index) => {
    if (!isOwn(message, target)) {
      const texts = systemTexts(message, `system[${index}]`, losses);
      return texts.length > 0 ? [messageText('system', joinedTexts(texts), target)] : [];
    }
    const units = spliceMessage(message, target, { dropBound: false });
    losses.push(...units.flatMap((unit) => unit.losses));
    return units.map((unit) => unit.text);
  });
  const written = toolTexts(tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function","function":{${members},"parameters":${parameters}}}`;
  }).join(',');
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['tools', written ? `[${written}]` : undefined],
  ];
  const tail = paramMembers(params, written !== '' || 'tools' in extra, target, losses);
  return { ...frameText(head, 'messages', tail, extra), lead, base: `${lead.join(',')}\n${written}`, losses };
}
