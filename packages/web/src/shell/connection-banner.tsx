import { Unplug } from 'lucide-react';

/** While the server does not answer. What is on screen stays; the page connects again by itself. */
export function ConnectionBanner() {
  return (
    <div
      role="alert"
      className="flex shrink-0 items-center justify-center gap-2 border-b border-line bg-warn-soft px-3 py-1 text-xs text-warn"
    >
      <Unplug size={14} aria-hidden />
      The server cannot be reached. What you see may be old; the page connects again by itself.
    </div>
  );
}
