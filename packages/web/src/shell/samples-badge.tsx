import { isSamples } from '../api/base.ts';

/** Beside the samples: that they are nobody's own conversations, and the way back to those. */
export function SamplesBadge() {
  if (!isSamples) return null;
  return (
    <a
      href="/"
      aria-label="Samples: back to yours"
      title="These conversations are in memory, and as new when the server starts again. Go back to your own."
      className="flex h-6 shrink-0 items-center rounded-full border border-line px-2 text-xs font-medium text-accent hover:underline"
    >
      <span>
        Samples<span className="max-sm:hidden">: back to yours</span>
      </span>
    </a>
  );
}
