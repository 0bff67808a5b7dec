import { File, X } from 'lucide-react';
import { memo } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { bytes } from '../../ui/format.ts';
import { t } from '../../words/words.ts';
import type { Attachment } from './attachments.ts';

interface AttachmentListProps {
  readonly attachments: readonly Attachment[];
  readonly onRemove: (id: string) => void;
  /** Moves a pasted text from the attachments into the message. */
  readonly onExpand: (attachment: Attachment) => void;
}

/** The attachments of the message. */
export function AttachmentList({ attachments, onRemove, onExpand }: AttachmentListProps) {
  if (attachments.length === 0) return null;
  return (
    <ul aria-label={t('composer.attachments')} className="flex flex-wrap gap-2 p-3 pb-0">
      {attachments.map((one) => (
        <li
          key={one.id}
          className="flex items-center gap-2 rounded-lg border border-line bg-page py-1 pr-1 pl-2 text-xs"
        >
          <Picture content={one.content} />
          <span className="max-w-40 truncate">{one.name}</span>
          <span className="text-faint">{bytes(one.size)}</span>
          {one.content?.kind === 'text' && one.content.isPasted && (
            <button type="button" className="text-accent pointer-coarse:min-h-10" onClick={() => onExpand(one)}>
              {t('composer.expand')}
            </button>
          )}
          <IconButton
            label={t('composer.remove', { name: one.name })}
            className="!size-6 pointer-coarse:!size-10"
            onClick={() => onRemove(one.id)}
          >
            <X size={12} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

/** Drawn once: the text of a large picture would be compared with every letter that is typed. */
const Picture = memo(function Picture({ content }: { readonly content: Attachment['content'] }) {
  if (content?.kind !== 'media' || !content.mediaType.startsWith('image/')) return <File size={14} aria-hidden />;
  return (
    <img src={`data:${content.mediaType};base64,${content.data}`} alt="" className="size-9 rounded-md object-cover" />
  );
});
