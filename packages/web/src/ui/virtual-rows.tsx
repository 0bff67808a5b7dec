import type { UIEvent } from 'react';
import { flushSync } from 'react-dom';
import type { CustomContainerComponentProps } from 'virtua';

/**
 * The element around the rows of a virtual list. While it scrolls, the library takes pointer events from it. All rows inherit that,
 * so each beginning and end of scrolling would style every one of them again; in a conversation that follows a stream, with every line.
 */
function makeContainer(Element: 'ul' | 'ol') {
  return function Rows({ style: { pointerEvents: _inherited, ...style }, ...props }: CustomContainerComponentProps) {
    return <Element {...props} style={style} />;
  };
}

export const VirtualRows = makeContainer('ul');
export const NumberedVirtualRows = makeContainer('ol');

/**
 * Draws the rows that come into view in the frame that scrolls, for `onScrollCapture` of what scrolls. React would draw them in a
 * task of its own, and each step of a wheel would cost a second frame, the first of them with an empty place.
 */
export function drawInFrame({ nativeEvent, currentTarget }: UIEvent<HTMLElement>): void {
  if (!nativeEvent.isTrusted || nativeEvent.target !== currentTarget) return;
  nativeEvent.stopImmediatePropagation();
  flushSync(() => currentTarget.dispatchEvent(new Event('scroll')));
}
