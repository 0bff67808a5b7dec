import { isObject, isText } from '../../json/index.ts';
import type { StreamEvent } from './events.ts';

/** What an error says, whatever shape it has. */
export function errorMessage(error: unknown): string {
  const message = isObject(error) && isText(error.message) ? error.message : error;
  return isText(message) ? message : (JSON.stringify(message) ?? 'the provider reported an error');
}

export function errorEvent(error: unknown, native: string): StreamEvent {
  return { type: 'error', message: errorMessage(error), native };
}
