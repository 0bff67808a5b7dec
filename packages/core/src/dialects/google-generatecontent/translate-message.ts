import type { CallRef, Message } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { dropped, rewritten } from '../write/notes.ts';
import type { CallLookup, Target, Unit } from '../write/writer.ts';
import { isSignatureRequired, PLACEHOLDER, placeholderNote } from './signature.ts';
import { callPart, plainPart } from './write-parts.ts';
import { nativeResponses, resultUnit } from './write-results.ts';
import { contentUnit } from './write-units.ts';

/** A message of another protocol or issuer, written from its blocks. */
export function translateMessage(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  if (isExplicitlyEmpty(message)) return [];
  return message.role === 'assistant' ? assistantUnits(message, target) : otherUnits(message, target, calls);
}

function assistantUnits(message: Message, target: Target): readonly Unit[] {
  const losses: LossNote[] = [];
  const made: CallRef[] = [];
  const parts: string[] = [];
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type !== 'tool-use') {
      const part = plainPart(block, path, target, losses);
      if (part !== undefined) parts.push(part);
      return;
    }
    // Always on the first call, so that later requests extend this one.
    const isUnsigned = made.length === 0 && isSignatureRequired(target);
    if (isUnsigned) losses.push(placeholderNote(path));
    const { text, call } = callPart(block, isUnsigned ? PLACEHOLDER : undefined, path, target, losses);
    parts.push(text);
    made.push(call);
  });
  noteSignatures(message, losses);
  return parts.length > 0 ? [contentUnit('assistant', parts, losses, { calls: made })] : [];
}

/** Results first, each on its own; then everything else. */
function otherUnits(message: Message, target: Target, calls: CallLookup): readonly Unit[] {
  const native = nativeResponses(message, calls);
  const results: Unit[] = [];
  const losses: LossNote[] = [];
  const parts: string[] = [];
  message.content.forEach((block, index) => {
    const path = `content[${index}]`;
    if (block.type === 'tool-result') {
      results.push(resultUnit(block, native[results.length], path, target, calls));
      return;
    }
    const part = plainPart(block, path, target, losses);
    if (part !== undefined) parts.push(part);
  });
  if (message.role === 'system' && parts.length > 0)
    losses.push(
      rewritten('', 'inline-system', 'system messages stand before all others; this one is sent as user text'),
    );
  if (parts.length > 0) return [...results, contentUnit('user', parts, losses)];
  const last = results.at(-1);
  return last ? [...results.slice(0, -1), { ...last, losses: [...last.losses, ...losses] }] : [];
}

/** Signatures can stand on parts that are translated; nobody else can read them. */
function noteSignatures(message: Message, losses: LossNote[]): void {
  if (!message.facts.needs.includes('bound') || losses.some(({ reason }) => reason === 'foreign-reasoning')) return;
  losses.push(dropped('', 'foreign-reasoning', 'the signatures of another issuer are left out'));
}

function isExplicitlyEmpty({ content }: Message): boolean {
  const [only, ...more] = content;
  return more.length === 0 && (only === undefined || (only.type === 'text' && only.text === ''));
}
