import { ArrowUp, ListPlus, Paperclip, Square } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { queries, queryClient } from '../../api/queries.ts';
import type { Block } from '../../api/types.ts';
import { useCommandList } from '../../commands/registry.ts';
import { useModel } from '../../state/model.ts';
import { randomId } from '../../state/random-id.ts';
import { rememberModel, useView } from '../../state/view.ts';
import { IconButton } from '../../ui/button.tsx';
import { tip } from '../../ui/tip.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { t } from '../../words/words.ts';
import type { SendPlan } from '../actions.ts';
import { AttachmentList } from './attachment-list.tsx';
import { isLargePaste, pastedText, readFile, toBlocks } from './attachments.ts';
import { endSending, readDraft, startSending, useDraft } from './draft.ts';
import { QueueList } from './queue-list.tsx';
import { AgentPicker, ModelPicker, ParamsPicker, ToolPicker } from './request-pickers.tsx';
import { SendOptions } from './send-options.tsx';
import { SuggestionList, useSuggestions } from './suggestions.tsx';

interface ComposerProps {
  /** The key under which the draft is stored. */
  readonly place: string;
  /** An answer grows where the message would go, so the message waits for its end. */
  readonly isGrowing: boolean;
  readonly placeholder: string;
  /** Stores the message and generates answers; true if it was stored. */
  readonly onSend: (content: readonly Block[], plan: SendPlan) => Promise<boolean>;
  /** Stops the answer that is growing, if one is. */
  readonly onStop?: (() => void) | undefined;
  /** A line of fixed height above the field. */
  readonly children?: ReactNode;
}

/** The form to write the next message. */
export function Composer({ place, isGrowing, placeholder, onSend, onStop, children }: ComposerProps) {
  const [{ text, attachments, queue, sending }, change] = useDraft(place);
  const [isChoosing, setChoosing] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const enterSends = useView((view) => view.enterSends);
  const model = useModel();
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const isLoading = attachments.some(({ content }) => !content);
  const canSend = !isEmpty && !sending && !isLoading;
  const setText = (next: string) => change({ text: next });
  const suggestions = useSuggestions(field, text, setText);

  const send = async (plan: SendPlan) => {
    if (!canSend) return;
    const isAsking = plan.answers > 0;
    if (
      isAsking &&
      model === undefined &&
      !plan.models?.length &&
      queryClient.getQueryData(queries.settings().queryKey)
    ) {
      toast(t('composer.model-needed'));
      return setChoosing(true);
    }
    if (isGrowing)
      return change({ text: '', attachments: [], queue: [...queue, { id: randomId(), text, attachments }] });
    startSending(place);
    const isStored = await onSend(toBlocks(text, attachments), plan);
    endSending(place, isStored);
    if (!isStored) return;
    for (const one of [...(plan.models ?? []), ...(model === undefined ? [] : [model])].reverse()) rememberModel(one);
  };
  const attach = (list: Iterable<File>) => {
    for (const file of list)
      readFile(file).then((one) => change({ attachments: [...readDraft(place).attachments, one] }), toastError);
  };
  useDroppedFiles(attach);
  useCommandList([
    command('send', t('composer.send'), ['Ctrl+Enter'], () => void send({ answers: 1 })),
    command('send-only', t('composer.send-only'), ['Ctrl+Shift+Enter'], () => void send({ answers: 0 })),
    command('focus', t('composer.placeholder'), ['i'], () => field.current?.focus()),
    command('attach', t('composer.attach-files'), [], () => files.current?.click()),
  ]);

  return (
    <>
      <form
        aria-label={t('composer.label')}
        className="relative mx-auto w-full max-w-3xl px-3 pb-3"
        onSubmit={(event) => {
          event.preventDefault();
          void send({ answers: 1 });
        }}
      >
        {children}
        <QueueList place={place} isGrowing={isGrowing} />
        <SuggestionList {...suggestions} />
        <div className="rounded-2xl border border-line-strong/60 bg-surface shadow-sm transition-shadow focus-within:border-accent focus-within:shadow-md">
          <AttachmentList
            attachments={attachments}
            onRemove={(id) => change({ attachments: attachments.filter((one) => one.id !== id) })}
            onExpand={({ id, content }) => {
              change({
                attachments: attachments.filter((one) => one.id !== id),
                ...(content?.kind === 'text' && { text: text === '' ? content.text : `${text}\n${content.text}` }),
              });
            }}
          />
          <textarea
            ref={field}
            id={COMPOSER_ID}
            aria-label={t('composer.field')}
            dir="auto"
            placeholder={placeholder}
            value={text}
            rows={1}
            {...suggestions.fieldProps}
            onChange={({ target }) => {
              suggestions.onInput(target);
              setText(target.value);
            }}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing || suggestions.onKey(event)) return;
              const isPlain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
              // A phone has no Shift+Enter, so there Enter begins a line.
              if (event.key !== 'Enter' || !isPlain || !enterSends || matchMedia('(pointer: coarse)').matches) return;
              event.preventDefault();
              void send({ answers: 1 });
            }}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text/plain');
              const dropped = event.clipboardData.files;
              if (dropped.length === 0 && !isLargePaste(pasted)) return;
              event.preventDefault();
              if (dropped.length > 0) attach(dropped);
              else change({ attachments: [...attachments, pastedText(pasted)] });
            }}
            className="field-sizing-content block max-h-[40dvh] min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-[15px] leading-6 outline-none placeholder:text-faint"
          />
          <div className="flex items-center gap-0.5 p-2 pt-1">
            <IconButton label={t('composer.attach-files')} onClick={() => files.current?.click()}>
              <Paperclip size={16} />
            </IconButton>
            <input
              ref={files}
              type="file"
              multiple
              hidden
              aria-label={t('composer.attach-field')}
              onChange={({ target }) => {
                attach(target.files ?? []);
                target.value = '';
              }}
            />
            <ModelPicker isOpen={isChoosing} onOpenChange={setChoosing} />
            <AgentPicker />
            <ToolPicker />
            <ParamsPicker />
            <div className="ml-auto flex shrink-0 items-center gap-1.5">
              <SendOptions canSend={canSend && !isGrowing} onSend={(plan) => void send(plan)} />
              {onStop && (
                <button
                  type="button"
                  aria-label={t('composer.stop')}
                  {...tip(t('composer.stop-about'), 'Escape')}
                  onClick={onStop}
                  className={ROUND}
                >
                  <Square size={12} aria-hidden className="fill-current" />
                </button>
              )}
              {!(onStop && isEmpty) && (
                <button
                  type="submit"
                  aria-label={isGrowing ? t('composer.queue') : t('composer.send')}
                  {...tip(
                    isGrowing ? t('composer.queue-about') : t('composer.send'),
                    enterSends ? 'Enter' : 'Ctrl+Enter',
                  )}
                  disabled={!canSend}
                  className={ROUND}
                >
                  {isGrowing ? <ListPlus size={16} aria-hidden /> : <ArrowUp size={16} aria-hidden />}
                </button>
              )}
            </div>
          </div>
        </div>
      </form>
      {/* Outside the form: a form of its own would be sent together with this one. */}
      {suggestions.dialog}
    </>
  );
}

const ROUND =
  'inline-flex size-8 shrink-0 items-center justify-center rounded-full bg-accent pointer-coarse:size-10 text-accent-ink transition-opacity hover:opacity-90 disabled:cursor-not-allowed disabled:bg-hover disabled:text-faint';

function command(id: string, title: string, keys: readonly string[], run: () => void) {
  return { id: `composer.${id}`, title, group: 'conversation' as const, keys, run };
}

/** Accepts files that are dropped anywhere on the page. By default a browser would navigate to them. */
function useDroppedFiles(take: (files: readonly File[]) => void): void {
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onDrag = (event: DragEvent) => {
      if (event.defaultPrevented && event.type === 'drop') return;
      if (!event.dataTransfer?.types.includes('Files')) return;
      if (event.type === 'drop') latest.current([...event.dataTransfer.files]);
      event.preventDefault();
    };
    window.addEventListener('dragover', onDrag);
    window.addEventListener('drop', onDrag);
    return () => {
      window.removeEventListener('dragover', onDrag);
      window.removeEventListener('drop', onDrag);
    };
  }, []);
}

/** The id of the composer's field, for other parts of the screen. */
const COMPOSER_ID = 'composer';

export function focusComposer(): void {
  requestAnimationFrame(() => document.getElementById(COMPOSER_ID)?.focus());
}
