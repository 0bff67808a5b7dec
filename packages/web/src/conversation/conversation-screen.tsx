import { Trash2 } from 'lucide-react';
import type { AddressedPlace } from '../state/address.ts';
import { useView } from '../state/view.ts';
import { Button } from '../ui/button.tsx';
import { Failed, Loading } from '../ui/states.tsx';
import { send } from './actions.ts';
import { Composer } from './composer/composer.tsx';
import { Where } from './composer/where.tsx';
import { NewConversation } from './new-conversation.tsx';
import { Panes } from './panes.tsx';
import { Questions } from './questions.tsx';
import { restoreAt } from './removing.ts';
import { StatusLine } from './status-line.tsx';
import { Thread } from './thread.tsx';
import { ThreadNote } from './thread-note.tsx';
import { useConversationKeys } from './use-conversation-keys.ts';
import { type ShownThread, useThread } from './use-thread.ts';

/** One conversation, from its first message to its end. Without an address: a new one. */
export default function ConversationScreen(place: AddressedPlace) {
  return place.thread === undefined && place.node === undefined ? <NewConversation /> : <Conversation {...place} />;
}

function Conversation({ thread: id, node }: AddressedPlace) {
  const { thread, error, retry } = useThread(id, node);
  if (thread) return <Shown {...thread} />;
  return error === undefined ? <Loading label="Loading the conversation" /> : <Failed error={error} onRetry={retry} />;
}

function Shown(thread: ShownThread) {
  const { owner, selected, leaf, path, tail } = thread;
  const isInspecting = useView((view) => view.inspectorOpen);
  useConversationKeys(thread);
  const isGrowing = tail?.branch.status === 'running';
  const isLeaf = selected === leaf;
  return (
    <div className="flex h-full flex-col">
      <Panes node={selected.id} leaf={leaf.id} isInspecting={isInspecting}>
        <div className="flex h-full min-w-0 flex-col">
          {leaf.removed && <Removed thread={thread} />}
          {owner && <ThreadNote thread={owner} />}
          <Thread key={owner?.id ?? path[0]!.id} {...thread} />
          {!selected.removed && (
            <Composer
              place={selected.id}
              isGrowing={isGrowing && isLeaf}
              placeholder={isLeaf ? 'Go on' : 'Go on from the selected message'}
              onSend={(content, answers) => send(selected.id, [{ role: 'user', content }], answers)}
            >
              <Where parent={selected} isLeaf={isLeaf} path={path} />
            </Composer>
          )}
        </div>
      </Panes>
      <StatusLine {...thread} />
      <Questions leaf={leaf.id} />
    </div>
  );
}

/** A branch that was deleted can still be read, and brought back; before that, nothing is written into it. */
function Removed({ thread: { path } }: { readonly thread: ShownThread }) {
  const top = path.find(({ removed }) => removed)!;
  return (
    <div role="status" className="flex items-center gap-2 border-b border-line bg-warn-soft px-3 py-1 text-warn">
      <Trash2 size={14} aria-hidden />
      <p className="grow">This branch was deleted.</p>
      <Button small onClick={() => void restoreAt(top)}>
        Restore
      </Button>
    </div>
  );
}
