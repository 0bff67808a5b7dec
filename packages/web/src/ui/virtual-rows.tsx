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
