import { type Forest, type GenerateOptions, titleByModel } from '@skein/forest';
import type { Services } from './services.ts';

/** How many of the threads that were changed last are looked at. */
const LOOKED_AT = 50;
/** Changes within this many milliseconds are handled together. */
const PATIENCE_MS = 500;

/**
 * Has a model title the conversations that begin from now on, whoever has them, one after the other and each once. A failure is logged, and the title
 * that its words gave stays. Gives back how to stop.
 */
export function startTitling(
  { forest, engine, log, closing }: Pick<Services, 'engine' | 'log' | 'closing'> & { readonly forest: Forest },
  model: GenerateOptions['model'],
  patience = PATIENCE_MS,
): () => void {
  const since = forest.clock.now();
  const done = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  const look = async () => {
    timer = undefined;
    if (isLooking || closing.aborted) return;
    isLooking = true;
    try {
      const { items } = await forest.threads.list({ limit: LOOKED_AT });
      for (const { id, createdAt, part } of items) {
        if (closing.aborted || createdAt < since || part !== 'main' || done.has(id)) continue;
        if (!(await hasAnswer(forest, id))) continue;
        done.add(id);
        await titleByModel(forest, engine, { thread: id, model }).catch((error: unknown) =>
          log.error('title-failed', error, { thread: id }),
        );
      }
    } catch (error) {
      log.error('title-failed', error);
    } finally {
      isLooking = false;
    }
  };
  const wait = () => {
    timer ??= setTimeout(() => void look(), patience).unref();
  };
  const unwatch = forest.watch(wait);
  return () => {
    unwatch();
    clearTimeout(timer);
  };
}

async function hasAnswer(forest: Forest, thread: string): Promise<boolean> {
  const path = await forest.path((await forest.threads.get(thread)).head);
  return path.some(({ role, message }) => role === 'assistant' && message.text.trim() !== '');
}
