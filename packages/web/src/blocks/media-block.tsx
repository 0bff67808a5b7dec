import { Download, File, ImageIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Media } from '../api/types.ts';
import { bytes } from '../ui/format.ts';
import { t } from '../words/words.ts';
import { Lightbox } from './previews/lightbox.tsx';
import { SafeLink } from './safe-link.tsx';

type MediaBlockProps = Omit<Media, 'type'>;

/** The image types that a browser draws and that cannot run scripts. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'];

/** Shows an embedded image, offers other embedded media for download, and links to media stored elsewhere. */
export function MediaBlock({ mediaType, source, name }: MediaBlockProps) {
  if (source.kind === 'url')
    return (
      <Frame icon={<ImageIcon size={16} aria-hidden />}>
        <SafeLink href={source.url}>{name ?? source.url}</SafeLink>
        <span className="text-faint">{mediaType}</span>
      </Frame>
    );
  if (source.kind === 'file')
    return (
      <Frame icon={<File size={16} aria-hidden />}>
        {name ?? t('blocks.file-at-provider')}
        <code className="truncate font-mono text-faint">{source.id}</code>
      </Frame>
    );
  if (PICTURES.includes(mediaType))
    return (
      <div className="my-2">
        <Lightbox src={`data:${mediaType};base64,${source.data}`} alt={name ?? t('blocks.attached-picture')}>
          <img
            src={`data:${mediaType};base64,${source.data}`}
            alt={name ?? t('blocks.attached-picture')}
            className="max-h-96 max-w-full rounded-lg border border-line"
          />
        </Lightbox>
      </div>
    );
  return <Saved mediaType={mediaType} data={source.data} name={name ?? `attachment.${extension(mediaType)}`} />;
}

function Saved({
  mediaType,
  data,
  name,
}: {
  readonly mediaType: string;
  readonly data: string;
  readonly name: string;
}) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([decodeBase64(data)], { type: 'application/octet-stream' }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data]);
  return (
    <Frame icon={<Download size={16} aria-hidden />}>
      <a href={address} download={name} className="truncate text-accent underline underline-offset-2">
        {name}
      </a>
      <span className="text-faint">
        {mediaType}, {bytes(Math.floor((data.length * 3) / 4))}
      </span>
    </Frame>
  );
}

function Frame({ icon, children }: { readonly icon: React.ReactNode; readonly children: React.ReactNode }) {
  return (
    <div className="my-2 flex w-fit max-w-full items-center gap-2 rounded-lg border border-line bg-surface px-3 py-2 text-xs">
      {icon}
      {children}
    </div>
  );
}

function decodeBase64(data: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  } catch {
    // The data is not base64 after all, but it can still be saved.
    return new TextEncoder().encode(data);
  }
}

function extension(mediaType: string): string {
  return (mediaType.split('/')[1] ?? 'bin').replace(/[^a-z0-9].*$/, '') || 'bin';
}
