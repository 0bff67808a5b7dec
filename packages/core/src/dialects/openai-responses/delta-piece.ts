import { endOfValue } from '../../json/index.ts';
import { escapedPiece } from '../stream/piece.ts';

/** The escaped text of the delta. Only a key can read `"delta":"` outside a string, and events have one. */
export function deltaPiece(data: string, text: string): string {
  if (data.indexOf('\\') < 0) return text;
  const key = data.indexOf('"delta":"');
  if (key < 0) return escapedPiece(data, ['delta'], text);
  const start = key + '"delta":'.length;
  return data.slice(start + 1, endOfValue(data, start) - 1);
}
