import type { LossNote } from '../loss.ts';
import { forModel } from '../provider.ts';
import {
  type BodyMember,
  type Frame,
  type FrameParts,
  frameText,
  isOwn,
  joinedTexts,
  rewritten,
  synthesised,
  systemTexts,
  type Target,
  toolTexts,
  type Unit,
} from '../write/index.ts';
import { messageText } from './forms.ts';
import { gather } from './gather.ts';
import { spliceMessage } from './splice-message.ts';
import { paramMembers } from './write-params.ts';

/**
 * System messages stand first in the message list, in their own words where this issuer gave them; as one for chat
 * templates that take no second.
 */
export function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const units = system.flatMap((message, index): readonly Unit[] => {
    if (isOwn(message, target) && takesSystem(target)) return spliceMessage(message, target, { dropBound: false });
    const texts = systemTexts(message, `system[${index}]`, losses);
    if (texts.length === 0) return [];
    const role = takesSystem(target) ? 'system' : 'user';
    if (role === 'user') losses.push(rewritten(`system[${index}]`, 'inline-system'));
    return [{ role, text: messageText(role, joinedTexts(texts), target), calls: [], results: [], losses: [] }];
  });
  losses.push(...units.flatMap((unit) => unit.losses));
  const one = target.provider.policies.alternateRoles && units.length > 1 ? gather(units) : undefined;
  if (one) losses.push(rewritten('system', 'merged', 'system'));
  const lead = (one ? [one] : units).map(({ text }) => text);
  const written = toolTexts(tools, target, losses, ({ members, parameters }) => {
    return `{"type":"function","function":{${members},"parameters":${parameters}}}`;
  }).join(',');
  const head: BodyMember[] = [
    ['model', JSON.stringify(target.model)],
    ['tools', written ? `[${written}]` : undefined],
  ];
  const tail = paramMembers(params, written !== '' || 'tools' in extra, target, losses);
  if (target.upstream !== undefined && !('provider' in extra)) {
    tail.push(['provider', JSON.stringify({ order: [target.upstream] })]);
    losses.push(synthesised('params.provider', 'upstream-bound', target.upstream));
  }
  return { ...frameText(head, 'messages', tail, extra), lead, base: `${lead.join(',')}\n${written}`, losses };
}

/** A few models take no system text at all (`role`): it is then sent as the user's. */
export function takesSystem({ provider, model }: Target): boolean {
  return forModel(provider.policies.inlineSystem, model) !== 'never';
}
