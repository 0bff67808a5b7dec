import { DeleteDialog, DeleteOthersDialog } from './delete-dialogs.tsx';
import { type Asking, useDesk } from './desk.ts';
import { MessageMarksDialog } from './message-marks-dialog.tsx';
import { SplitDialog } from './split-dialog.tsx';
import { SystemDialog } from './system-dialog.tsx';

/** What is asked about a message before something is done with it. */
export function Questions({ leaf }: { readonly leaf: string }) {
  const asking = useDesk((desk) => desk.asking);
  return asking ? <Question key={`${asking.what}-${asking.node.id}`} {...asking} leaf={leaf} /> : null;
}

function Question({ what, node, leaf }: Asking & { readonly leaf: string }) {
  switch (what) {
    case 'delete':
      return <DeleteDialog node={node} />;
    case 'delete-others':
      return <DeleteOthersDialog leaf={leaf} />;
    case 'split':
      return <SplitDialog node={node} />;
    case 'system':
      return <SystemDialog leaf={leaf} />;
    default:
      return <MessageMarksDialog what={what} node={node} />;
  }
}
