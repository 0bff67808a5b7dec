import { useMemo } from 'react';
import { useLive } from '../state/live.ts';

/** A message that is being written: it has no node yet. */
export interface LiveSprout {
  readonly id: string;
  readonly parent: string;
  readonly role: string;
}

const PREFIX = 'live:';

export function isLiveId(id: string): boolean {
  return id.startsWith(PREFIX);
}

/** One for each branch of each generation that is under way. Its place changes only when a message ends. */
export function useLiveSprouts(): readonly LiveSprout[] {
  const places = useLive(({ all }) =>
    [...all.values()]
      .flatMap(({ id, branches }) =>
        branches.map(({ status, head }, index) => (status === 'running' ? `${PREFIX}${id}:${index} ${head}` : '')),
      )
      .filter(Boolean)
      .join('\n'),
  );
  return useMemo(
    () =>
      places
        .split('\n')
        .filter(Boolean)
        .map((place) => {
          const [id = '', parent = ''] = place.split(' ');
          return { id, parent, role: 'assistant' };
        }),
    [places],
  );
}

const LENGTH = 120;

/** The end of what has come so far. */
export function useLiveWords(id: string): string | undefined {
  return useLive(({ all }) => {
    if (!isLiveId(id)) return undefined;
    const [, generation = '', branch] = id.split(':');
    const blocks = all.get(generation)?.branches[Number(branch)]?.blocks ?? [];
    const texts = blocks.map((block) =>
      'text' in block ? block.text : block.type === 'tool-use' ? `calls ${block.name}` : '',
    );
    return texts.join(' ').slice(-LENGTH);
  });
}
