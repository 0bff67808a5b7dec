import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactElement } from 'react';
import { keyLabel } from '../commands/keys.ts';
import { currentKey } from '../commands/shortcuts.ts';
import { Kbd } from './kbd.tsx';

export interface TipProps {
  readonly label: string;
  readonly keys?: string | undefined;
  readonly children: ReactElement;
}

/** A tooltip for the element under the pointer or with the focus. */
export function Tip({ label, keys, children }: TipProps) {
  const shown = keys === undefined ? undefined : currentKey(keys);
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} delay={500} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="flex max-w-64 items-center gap-2 rounded-md border border-line bg-raised px-2 py-1 text-xs text-ink shadow-md">
            {label}
            {shown !== undefined && <Kbd>{keyLabel(shown)}</Kbd>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
