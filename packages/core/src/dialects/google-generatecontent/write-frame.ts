import { textAt } from '../../json/index.ts';
import type { Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import {
  type BodyMember,
  type Frame,
  type FrameParts,
  frameText,
  systemTexts,
  type Target,
  toolTexts,
} from '../write/index.ts';
import { listTexts } from './content.ts';
import { isField } from './fields.ts';
import { textPart } from './forms.ts';
import { google } from './provider.ts';
import { paramMembers } from './write-params.ts';

/** Model and streaming stand in the path of a request, not in its body. */
export function frame({ system, tools, params, extra }: FrameParts, target: Target): Frame {
  const losses: LossNote[] = [];
  const instruction = systemText(system, losses);
  const declared = toolsText(tools, target, losses);
  const head: BodyMember[] = [
    ['systemInstruction', instruction],
    ['tools', declared],
  ];
  const tail = paramMembers(params, declared !== undefined || 'tools' in extra, target, losses);
  // A member in its other spelling is the same member: two of them would be refused.
  const camelCased = Object.entries(extra).map(([name, text]) => {
    const own = [...head, ...tail].find(([known]) => isField(name, known));
    return [own?.[0] ?? name, text];
  });
  const texts = frameText(head, 'contents', tail, Object.fromEntries(camelCased));
  return { ...texts, lead: [], base: `${instruction ?? ''}\n${declared ?? ''}`, losses };
}

/** `systemInstruction` is a content (`system-type`): one that is alone and in this form is spliced by its exact text. */
function systemText(messages: readonly Message[], losses: LossNote[]): string | undefined {
  const own = messages.map(({ origin, raw }) => (origin.dialect === google.dialect ? textAt(raw, ['content']) : ''));
  if (messages.length === 1 && own[0]?.startsWith('{')) return own[0];
  const parts = messages.flatMap((message, index) => {
    const list = own[index] && textAt(own[index], ['parts']);
    return list ? listTexts(list) : systemTexts(message, `system[${index}]`, losses).map(textPart);
  });
  return parts.length > 0 ? `{"parts":[${parts.join(',')}]}` : undefined;
}

/** All functions in one tool, then the tools that are given in Google's own words. */
function toolsText(tools: FrameParts['tools'], target: Target, losses: LossNote[]): string | undefined {
  const functions: string[] = [];
  const texts = toolTexts(tools, target, losses, ({ members, parameters }) => {
    // `parametersJsonSchema` takes any JSON Schema; `parameters` takes only Google's own subset.
    const text = `{${members},"parametersJsonSchema":${parameters}}`;
    functions.push(text);
    return text;
  });
  const others = texts.filter((text) => !functions.includes(text));
  if (functions.length > 0) others.unshift(`{"functionDeclarations":[${functions.join(',')}]}`);
  return others.length > 0 ? `[${others.join(',')}]` : undefined;
}
