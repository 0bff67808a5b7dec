import { MessageSquarePlus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { send } from './actions.ts';
import { Composer, focusComposer } from './composer/composer.tsx';
import { useDraft } from './composer/draft.ts';

/** The screen of a conversation that has not begun. */
export function NewConversation() {
  const [{ text: system }, changeSystem] = useDraft('new-system');
  const setSystem = (text: string) => changeSystem({ text });
  const [hasSystem, setHasSystem] = useState(system !== '');
  useEffect(focusComposer, []);
  return (
    <div className="flex h-full flex-col">
      <div className="mx-auto flex min-h-0 w-full max-w-3xl grow flex-col justify-center gap-4 overflow-y-auto p-6">
        <h1 className="flex items-center gap-2 text-lg font-semibold">
          <MessageSquarePlus size={20} aria-hidden className="text-accent" /> New conversation
        </h1>
        {hasSystem ? (
          <label className="flex flex-col gap-1 text-xs text-soft">
            System text: instructions that the model gets before the conversation
            <textarea
              value={system}
              onChange={(event) => setSystem(event.target.value)}
              rows={4}
              className="field-sizing-content max-h-[40dvh] min-h-24 w-full resize-none rounded-lg border border-line bg-surface p-3 text-sm text-ink"
            />
          </label>
        ) : (
          <p className="text-soft">
            Write below, or{' '}
            <button
              type="button"
              onClick={() => setHasSystem(true)}
              className="text-accent underline underline-offset-2"
            >
              set a system text
            </button>{' '}
            first. Every message can be branched later, with any model.
          </p>
        )}
      </div>
      <Composer
        place="new"
        isGrowing={false}
        placeholder="What is it about?"
        onSend={async (content, plan) => {
          const first =
            system.trim() === ''
              ? []
              : [{ role: 'system' as const, content: [{ type: 'text' as const, text: system }] }];
          const isSent = await send(undefined, [...first, { role: 'user', content }], plan);
          if (isSent) {
            setSystem('');
            focusComposer();
          }
          return isSent;
        }}
      />
    </div>
  );
}
