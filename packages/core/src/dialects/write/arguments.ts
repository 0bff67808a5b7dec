import { isObject, parseJson } from '../../json/index.ts';
import type { LossNote } from '../loss.ts';
import { rewritten } from './notes.ts';

/** Whether tool arguments are what every API wants: a JSON object. Blank stands for no arguments. */
export function areArguments(raw: string): boolean {
  if (raw.trim() === '') return true;
  try {
    return isObject(parseJson(raw));
  } catch {
    return false;
  }
}

/** Arguments as object text: as the model wrote them, or a valid stand-in that shows what it wrote. */
export function argumentsText(raw: string, path: string, losses: LossNote[]): string {
  if (raw.trim() === '') return '{}';
  if (areArguments(raw)) return raw;
  losses.push(rewritten(path, 'malformed-arguments'));
  return `{"_malformed_arguments":${JSON.stringify(raw)}}`;
}
