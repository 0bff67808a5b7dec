import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';
import type { CallRef } from '../../message/index.ts';
import type { LossNote } from '../loss.ts';
import { stringText } from '../write/text.ts';
import type { Unit } from '../write/writer.ts';
import { isToolResult } from './flaws.ts';

/** Lists of blocks always, never plain strings: a cache marker then changes nothing but the marked block. */
export function messageText(role: 'user' | 'assistant' | 'system', parts: readonly string[]): string {
  return `{"role":"${role}","content":[${parts.join(',')}]}`;
}

export function textPart(text: string, path: string, losses: LossNote[]): string {
  return `{"type":"text","text":${stringText(text, path, losses)}}`;
}

const BLANK = /^\{"type":"text","text":"(?:\s|\\[nrtbf]|\\u000b)*"\}$/;

/** Whether a part written by `textPart` is nothing but white space (`whitespace-text`). */
export function isBlank(part: string): boolean {
  return BLANK.test(part);
}

export function userUnit(parts: readonly string[], losses: readonly LossNote[]): Unit {
  return { role: 'user', text: messageText('user', parts), calls: [], results: [], parts, losses };
}

/** One tool result as a message of its own. */
export function resultUnit(part: string, id: string, losses: readonly LossNote[]): Unit {
  return { role: 'tool', text: messageText('user', [part]), calls: [], results: [id], parts: [part], losses };
}

/** A result for a call that has none. */
export function result(call: CallRef, text: string): Unit {
  const losses: LossNote[] = [];
  const content = textPart(text, '', losses);
  const part = `{"type":"tool_result","tool_use_id":${JSON.stringify(call.id)},"content":[${content}]}`;
  return resultUnit(part, call.id, losses);
}

export function userText(text: string): Unit {
  const losses: LossNote[] = [];
  return userUnit([textPart(text, '', losses)], losses);
}

/** User and tool units as one user message, tool results first (`tool-result-not-first`). Other roles stay apart. */
export function gather(units: readonly Unit[]): Unit | undefined {
  if (units.some((unit) => unit.role !== 'user' && unit.role !== 'tool')) return undefined;
  const parts = units.flatMap(partsOf);
  const isResult = parts.map((part) => isToolResult(parseJson(part)));
  const ordered = [...parts.filter((_, index) => isResult[index]), ...parts.filter((_, index) => !isResult[index])];
  return {
    role: units.every((unit) => unit.role === 'tool') ? 'tool' : 'user',
    text: messageText('user', ordered),
    calls: [],
    results: units.flatMap((unit) => unit.results),
    parts: ordered,
    losses: units.flatMap((unit) => unit.losses),
  };
}

/** Own texts are taken apart only here, where they are needed in parts. */
function partsOf(unit: Unit): readonly string[] {
  if (unit.parts) return unit.parts;
  const value = parseJson(unit.text);
  const content = textAt(unit.text, ['content']) ?? '[]';
  if (!isObject(value) || !Array.isArray(value.content)) return [`{"type":"text","text":${content}}`];
  return elementTexts(content);
}
