import type { Answer, Asked, CodeLine } from './highlight-worker.ts';
import type { LanguageName } from './languages.ts';

export interface Coloured {
  readonly code: string;
  readonly name: LanguageName;
  readonly lines: readonly CodeLine[];
}

/** Code that was coloured, the latest last, so that what comes into sight again is coloured at once. */
const done = new Map<string, Coloured>();
const MOST_KEPT = 300;
/** Code that still grows was coloured shortly before, up to where it was then. */
const RECENT = 6;

let worker: Worker | undefined;
let last = 0;
const waiting = new Map<number, (lines: readonly CodeLine[]) => void>();

/** Colours code; nothing is coloured when it cannot be. */
export async function colour(code: string, name: LanguageName): Promise<Coloured> {
  worker ??= start();
  const asked: Asked = { id: ++last, code, name };
  const lines = await new Promise<readonly CodeLine[]>((resolve) => {
    waiting.set(asked.id, resolve);
    worker?.postMessage(asked);
  });
  const coloured = lines.length > 0 ? { code, name, lines } : { code: '', name, lines };
  done.set(`${name} ${code}`, coloured);
  for (const key of done.keys()) {
    if (done.size <= MOST_KEPT) break;
    done.delete(key);
  }
  return coloured;
}

/** What is coloured already of some code: all of it, or its beginning. */
export function colouredBefore(code: string, name: LanguageName): Coloured | undefined {
  const exact = done.get(`${name} ${code}`);
  if (exact) return exact;
  const recent = [...done.values()].slice(-RECENT);
  return recent.findLast((one) => one.name === name && one.code !== '' && code.startsWith(one.code));
}

function start(): Worker {
  const made = new Worker(new URL('./highlight-worker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data: { id, lines } }: MessageEvent<Answer>) => {
    waiting.get(id)?.(lines);
    waiting.delete(id);
  });
  return made;
}
