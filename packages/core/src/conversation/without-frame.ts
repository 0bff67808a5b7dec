import type { Manifest } from '../dialects/index.ts';

/** How messages were sent, without what stood around them: system, tools and parameters are not the conversation's. */
export function withoutFrame(manifest: Manifest | undefined): Manifest | undefined {
  return manifest && ({ ...manifest, head: '', tail: '' } as Manifest);
}
