import { dialect } from '@skein/core';
import { searchText } from '../model/index.ts';

/** What a search looks through. A text that its dialect cannot read, or of a dialect nobody knows, is taken as it is. */
export function nodeText(dialectId: string, raw: string): string {
  try {
    return searchText(dialect(dialectId).parseMessage(raw));
  } catch {
    return raw;
  }
}
