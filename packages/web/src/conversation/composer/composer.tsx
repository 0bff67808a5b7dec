import { Paperclip, SendHorizontal } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import type { Block } from '../../api/types.ts';
import { useCommandList } from '../../commands/registry.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Tip } from '../../ui/tip.tsx';
import { toastError } from '../../ui/toasts.tsx';
import { useDroppedFiles } from '../../ui/use-dropped-files.ts';
import { COMPOSER_ID } from '../focus-composer.ts';
import { AgentPicker } from './agent-picker.tsx';
import { AttachmentList } from './attachment-list.tsx';
import { type Attachment, blocksFor, isLargePaste, pastedText, readFile } from './attachments.ts';
import { ModelPicker } from './model-picker.tsx';
import { ParamsPicker } from './params-picker.tsx';
import { ToolPicker } from './tool-picker.tsx';
import { useDraft } from './use-draft.ts';

export interface ComposerProps {
  /** Drafts are kept by it. */
  readonly place: string;
  readonly isGrowing: boolean;
  readonly placeholder: string;
  /** Stores it and asks for so many answers; true when it is stored. */
  readonly onSend: (content: readonly Block[], answers: number) => Promise<boolean>;
  /** A line of fixed height above the field. */
  readonly children?: ReactNode;
}

/** Where the next message is written. */
export function Composer({ place, isGrowing, placeholder, onSend, children }: ComposerProps) {
  const [text, setText] = useDraft(place, isGrowing);
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isSending, setSending] = useState(false);
  const files = useRef<HTMLInputElement>(null);
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const canSend = !isEmpty && !isGrowing && !isSending;

  const send = async (answers: number) => {
    if (!canSend) return;
    setSending(true);
    const isSent = await onSend(blocksFor(text, attachments), answers);
    setSending(false);
    if (!isSent) return;
    setText('');
    setAttachments([]);
  };
  const attach = (list: Iterable<File>) => {
    for (const file of list) readFile(file).then((one) => setAttachments((before) => [...before, one]), toastError);
  };
  useDroppedFiles(attach);
  useCommandList([
    { id: 'composer.send', title: 'Send', group: 'Conversation', keys: ['Ctrl+Enter'], run: () => void send(1) },
    {
      id: 'composer.send-only',
      title: 'Send only',
      group: 'Conversation',
      keys: ['Ctrl+Shift+Enter'],
      run: () => void send(0),
    },
    {
      id: 'composer.focus',
      title: 'Write a message',
      group: 'Conversation',
      keys: ['i'],
      run: () => document.getElementById(COMPOSER_ID)?.focus(),
    },
  ]);

  return (
    <form
      aria-label="Composer"
      className="mx-auto w-full max-w-3xl px-3 pb-3"
      onSubmit={(event) => {
        event.preventDefault();
        void send(1);
      }}
    >
      {children}
      <div className="rounded-xl border border-line-strong bg-surface focus-within:border-accent">
        <AttachmentList
          attachments={attachments}
          onRemove={(id) => setAttachments(attachments.filter((one) => one.id !== id))}
          onExpand={({ id, content }) => {
            setAttachments(attachments.filter((one) => one.id !== id));
            if (content.kind === 'text') setText(text === '' ? content.text : `${text}\n${content.text}`);
          }}
        />
        <textarea
          id={COMPOSER_ID}
          aria-label="Message"
          dir="auto"
          placeholder={placeholder}
          value={text}
          rows={1}
          onChange={(event) => setText(event.target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text/plain');
            const dropped = event.clipboardData.files;
            if (dropped.length === 0 && !isLargePaste(pasted)) return;
            event.preventDefault();
            if (dropped.length > 0) attach(dropped);
            else setAttachments([...attachments, pastedText(pasted)]);
          }}
          className="field-sizing-content block max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-3 pt-2.5 pb-1 outline-none placeholder:text-faint"
        />
        <div className="flex flex-wrap items-center gap-1 p-1.5">
          <IconButton label="Attach files" onClick={() => files.current?.click()}>
            <Paperclip size={16} />
          </IconButton>
          <input
            ref={files}
            type="file"
            multiple
            hidden
            aria-label="Files to attach"
            onChange={({ target }) => {
              attach(target.files ?? []);
              target.value = '';
            }}
          />
          <ModelPicker />
          <AgentPicker />
          <ToolPicker />
          <ParamsPicker />
          <div className="ml-auto flex items-center gap-1">
            <Tip label="Store it without asking for an answer" keys="Ctrl+Shift+Enter">
              <Button small look="quiet" disabled={!canSend} onClick={() => void send(0)}>
                Send only
              </Button>
            </Tip>
            <Menu
              trigger={
                <Button small disabled={!canSend} aria-label="×n: send for several answers">
                  ×n
                </Button>
              }
              items={[2, 3, 4, 6, 8].map((n) => ({ title: `${n} answers`, run: () => void send(n) }))}
            />
            <Tip label="Send" keys="Ctrl+Enter">
              <Button small type="submit" look="primary" disabled={!canSend}>
                <SendHorizontal size={14} aria-hidden /> Send
              </Button>
            </Tip>
          </div>
        </div>
      </div>
    </form>
  );
}
