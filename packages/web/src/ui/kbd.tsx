import type { ReactNode } from 'react';

/** A key to press. */
export function Kbd({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="rounded border border-line bg-sunken px-1 py-px font-sans text-[11px] whitespace-nowrap text-soft">
      {children}
    </kbd>
  );
}
