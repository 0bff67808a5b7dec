import type { Manifest } from '../dialects/index.ts';

/**
 * How messages were sent, without what stood around them: system, tools and parameters are not to be saved. Where the
 * system text is the first element, nothing is left: what the rest was sent as is then written again, by the same rules.
 */
export function withoutFrame(manifest: Manifest | undefined): Manifest | undefined {
  if (!manifest || manifest.elements[0]?.of.length === 0) return undefined;
  return { ...manifest, head: '', tail: '' } as Manifest;
}
