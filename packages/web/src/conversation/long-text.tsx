import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { useFold } from '../blocks/folds.ts';

/** What a person pasted can be long: it is shown in part until it is asked for. */
export function LongText({ node, children }: { readonly node: string; readonly children: ReactNode }) {
  const [isOpen, toggle] = useFold(node, 'whole');
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && !isOpen) setLong(element.scrollHeight > element.clientHeight + 8);
  }, [isOpen]);
  return (
    <>
      <div
        ref={box}
        className={
          isOpen
            ? ''
            : `max-h-80 overflow-hidden ${isLong ? '[mask-image:linear-gradient(black_80%,transparent)]' : ''}`
        }
      >
        {children}
      </div>
      {(isLong || isOpen) && (
        <button type="button" aria-expanded={isOpen} onClick={toggle} className="mt-1 text-xs font-medium text-accent">
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  );
}
