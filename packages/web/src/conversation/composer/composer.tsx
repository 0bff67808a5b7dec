import { useQuery } from '@tanstack/react-query';
import { File, GitBranch, Paperclip, SendHorizontal, Unplug, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { queries } from '../../api/queries.ts';
import type { Block, Node } from '../../api/types.ts';
import { summarizeBlocks } from '../../blocks/summary.ts';
import { useCommandList } from '../../commands/registry.ts';
import { useCurrentThread } from '../../state/current-thread.ts';
import { useModel } from '../../state/model.ts';
import { goTo } from '../../state/place.ts';
import { toRequestOptions, useView } from '../../state/view.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { bytes } from '../../ui/format.ts';
import { Menu } from '../../ui/menu.tsx';
import { Popover } from '../../ui/popover.tsx';
import { Tip } from '../../ui/tip.tsx';
import { toastError } from '../../ui/toasts.tsx';
import { mainTake } from '../message/author.ts';
import { describeLosses, LossList } from '../message/request-notes.tsx';
import { groupSiblings } from '../siblings.ts';
import { useChildren } from '../use-siblings.ts';
import { useDraft } from './draft.ts';
import { AgentPicker, ModelPicker, ParamsPicker, ToolPicker } from './request-pickers.tsx';

interface ComposerProps {
  /** The key under which the draft is stored. */
  readonly place: string;
  readonly isGrowing: boolean;
  readonly placeholder: string;
  /** Stores the message and generates answers; true if it was stored. */
  readonly onSend: (content: readonly Block[], answers: number) => Promise<boolean>;
  /** A line of fixed height above the field. */
  readonly children?: ReactNode;
}

/** The form to write the next message. */
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
    const isSent = await onSend(toBlocks(text, attachments), answers);
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

interface DestinationProps {
  readonly parent: Node;
  readonly isLeaf: boolean;
  readonly path: readonly Node[];
}

/** A line above the composer: where the message goes, its siblings, and what a change of provider loses. */
export function Destination({ parent, isLeaf, path }: DestinationProps) {
  const children = useChildren(parent.id);
  const known = children.length > 0 ? children : path.filter((node) => node.parent === parent.id);
  return (
    <div className="flex h-8 items-center gap-2 overflow-hidden text-xs">
      {!isLeaf && (
        <>
          <span className="flex shrink-0 items-center gap-1 text-warn">
            <GitBranch size={14} aria-hidden /> Continues from here as a new branch
          </span>
          <ul aria-label="What follows already" className="flex min-w-0 gap-1 overflow-x-auto [scrollbar-width:none]">
            {groupSiblings(known).map(({ nodes: [first] }) => (
              <li key={first!.id} className="shrink-0">
                <button
                  type="button"
                  onClick={() => goTo(first!.id)}
                  className="max-w-56 truncate rounded-full border border-line bg-surface px-2 py-0.5 text-soft hover:bg-hover hover:text-ink"
                >
                  {summarizeBlocks(first!.content, 60) || first!.role}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      <span className="grow" />
      <LossPreview parent={parent} path={path} />
    </div>
  );
}

const PAUSE_MS = 400;

/** What the chosen provider could not receive, if it is not the one of the last answer. */
function LossPreview({ parent, path }: Pick<DestinationProps, 'parent' | 'path'>) {
  const model = useModel();
  const view = useView();
  const thread = useCurrentThread()?.id;
  const provider = model?.split('/')[0];
  const before = path.slice(0, path.indexOf(parent) + 1).findLast(({ role }) => role === 'assistant');
  const last = before && mainTake(before)?.provider;
  const isOther = provider !== undefined && last !== undefined && provider !== last;
  const wish = useAfterPause(
    JSON.stringify({ ...toRequestOptions(view, thread), ...(model !== undefined && { model }) }),
  );
  const settled = useAfterPause(parent.id);
  const { data } = useQuery({
    ...queries.nextRequest(parent.id, JSON.parse(wish)),
    enabled: isOther && settled === parent.id,
  });
  if (!isOther || !data || data.losses.length === 0) return null;
  return (
    <Popover
      side="top"
      label="What cannot be carried over"
      trigger={
        <Button small look="quiet" className="min-w-0 shrink text-warn">
          <Unplug size={14} aria-hidden className="shrink-0" />
          <span className="truncate">{describeLosses(data.losses, provider).replace('could not', 'cannot')}</span>
        </Button>
      }
    >
      <LossList losses={data.losses} />
    </Popover>
  );
}

/** A value after it has not changed for a moment. */
function useAfterPause(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: string) => void;
  /** Moves a pasted text from the attachments into the message. */
  readonly onExpand: (attachment: Attachment) => void;
}

/** The attachments of the message. */
function AttachmentList({ attachments, onRemove, onExpand }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label="Attachments" className="flex flex-wrap gap-2 p-2 pb-0">
      {attachments.map((one) => (
        <li
          key={one.id}
          className="flex items-center gap-2 rounded-md border border-line bg-page py-1 pr-1 pl-2 text-xs"
        >
          <Picture {...one} />
          <span className="max-w-40 truncate">{one.name}</span>
          <span className="text-faint">{bytes(one.size)}</span>
          {one.content.kind === 'text' && one.content.isPasted && (
            <button type="button" className="text-accent" onClick={() => onExpand(one)}>
              Expand
            </button>
          )}
          <IconButton label={`Remove ${one.name}`} className="!size-6" onClick={() => onRemove(one.id)}>
            <X size={12} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

function Picture({ content }: Attachment) {
  if (content.kind !== 'media' || !content.mediaType.startsWith('image/')) return <File size={14} aria-hidden />;
  return (
    <img src={`data:${content.mediaType};base64,${content.data}`} alt="" className="size-8 rounded object-cover" />
  );
}

/** A file or a long pasted text that is sent with a message. */
interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly content:
    | { readonly kind: 'media'; readonly mediaType: string; readonly data: string }
    | { readonly kind: 'text'; readonly text: string; readonly isPasted: boolean };
}

/** A longer pasted text becomes an attachment. */
const LARGE_PASTE = 2000;
const LARGE_PASTE_LINES = 40;
const LARGEST_FILE = 20 * 1024 * 1024;

const TEXT_TYPES = /^text\/|[/+](json|xml|yaml|x-yaml|javascript|typescript|toml|sql|x-sh)$/;

let last = 0;
const nextId = () => `attachment-${++last}`;

export function isLargePaste(text: string): boolean {
  return text.length > LARGE_PASTE || text.split('\n', LARGE_PASTE_LINES + 1).length > LARGE_PASTE_LINES;
}

export function pastedText(text: string): Attachment {
  const lines = text.split('\n').length;
  const name = lines > 1 ? `Pasted text, ${lines} lines` : 'Pasted text';
  return { id: nextId(), name, size: text.length, content: { kind: 'text', text, isPasted: true } };
}

/** Reads a file: images, audio, video and PDF as media, text files as text. */
export async function readFile(file: File): Promise<Attachment> {
  const { name, size, type } = file;
  if (size > LARGEST_FILE) throw new Error(`${name} is too large to send. The limit is 20 MB.`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isMedia = /^(image|audio|video)\//.test(type) || type === 'application/pdf';
  const text = isMedia ? undefined : decodeText(bytes, type);
  if (text !== undefined) return { id: nextId(), name, size, content: { kind: 'text', text, isPasted: false } };
  const mediaType = type || 'application/octet-stream';
  return { id: nextId(), name, size, content: { kind: 'media', mediaType, data: base64(bytes) } };
}

/** Decodes text; undefined if the bytes are not text. */
function decodeText(bytes: Uint8Array, type: string): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return TEXT_TYPES.test(type) || !text.includes('\0') ? text : undefined;
  } catch {
    return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text);
}

/** The blocks of a message: attachments first, then its text. */
export function toBlocks(text: string, attachments: readonly Attachment[]): readonly Block[] {
  const attached = attachments.map(({ name, content }): Block => {
    if (content.kind === 'media')
      return { type: 'media', mediaType: content.mediaType, source: { kind: 'base64', data: content.data } };
    return { type: 'text', text: content.isPasted ? content.text : fileText(name, content.text) };
  });
  return text.trim() === '' && attached.length > 0 ? attached : [...attached, { type: 'text', text }];
}

/** Puts a text file in a code fence that is longer than any fence in it. */
function fileText(name: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${name}:\n\n${fence}${/\.(\w+)$/.exec(name)?.[1] ?? ''}\n${text.replace(/\n$/, '')}\n${fence}`;
}
