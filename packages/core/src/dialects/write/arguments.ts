import { isObject, type JsonObject, parseJson } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

/** The object that a text says; undefined when it says none. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether tool arguments are what every API wants: a JSON object. Blank stands for no arguments. */
export function areArguments(raw: string): boolean {
  return raw.trim() === '' || objectIn(raw) !== undefined;
}

/** Arguments as object text: as the model wrote them, or a valid stand-in that shows what it wrote. */
export function argumentsText(raw: string, path: string, losses: LossNote[]): string {
  if (raw.trim() === '') return '{}';
  if (areArguments(raw)) return raw;
  losses.push(rewritten(path, 'malformed-arguments'));
  return `{"_malformed_arguments":${JSON.stringify(raw)}}`;
}
