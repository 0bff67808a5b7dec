import type { Alternative } from '@skein/core';

/** What arrived whole is a message, also when it says nothing; what broke off before its first word is none. */
export function isMessage({ message, stop }: Alternative): boolean {
  return message.content.length > 0 || (stop.reason !== 'cut' && stop.reason !== 'error');
}
