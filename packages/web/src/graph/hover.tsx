import { useEffect } from 'react';
import { usePreviews, wantPreviews } from '../state/previews.ts';
import type { Placed } from './layout.ts';

/** What the pointer is on, in a few words. */
export function Hover({
  placed,
  x,
  y,
  width,
}: {
  readonly placed: Placed;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}) {
  const { ids } = placed.fold;
  const preview = usePreviews((state) => state.of.get(placed.fold.id));
  useEffect(() => wantPreviews([placed.fold.id]), [placed.fold.id]);
  const text = ids.length > 1 ? `${ids.length} messages in a line. Click to unfold them.` : preview?.text;
  if (!text) return null;
  return (
    <div
      aria-hidden
      style={{ left: Math.max(8, Math.min(x + 12, width - 300)), top: y + 16 }}
      className="pointer-events-none absolute z-10 max-w-72 rounded-md border border-line bg-raised px-2 py-1 text-xs shadow-md"
    >
      {preview?.model && ids.length === 1 && <p className="text-soft">{preview.model}</p>}
      <p className="line-clamp-4 break-words">{text}</p>
    </div>
  );
}
