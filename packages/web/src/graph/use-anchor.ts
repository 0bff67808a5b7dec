import { useEffect, useRef } from 'react';
import type { Layout, Placed } from './layout.ts';

/** Tells when the focused card stands elsewhere in a new layout. */
export function useAnchor(
  layout: Layout,
  focused: string | undefined,
  onShift: (from: Placed, to: Placed) => void,
): void {
  const before = useRef(layout);
  useEffect(() => {
    if (before.current === layout) return;
    const from = before.current.of.get(focused ?? '');
    const to = layout.of.get(focused ?? '');
    before.current = layout;
    if (from && to) onShift(from, to);
  });
}
