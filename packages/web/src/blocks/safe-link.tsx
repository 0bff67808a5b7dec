import { ExternalLink } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../words/words.ts';

/** The address if it is an http, https or mailto address; no other address from a model is followed. */
export function safeAddress(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href)) return undefined;
  return ['http:', 'https:', 'mailto:'].includes(new URL(href).protocol) ? href : undefined;
}

/** A link in a model's text. An unsafe address is shown as plain text. */
export function SafeLink({ href, children }: { readonly href: string | undefined; readonly children: ReactNode }) {
  const address = safeAddress(href);
  if (address === undefined) return <span>{children}</span>;
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={address}
      className="text-accent underline decoration-1 underline-offset-2 [overflow-wrap:anywhere]"
    >
      {children}
    </a>
  );
}

/** A link in place of a remote image. Loading it would tell its owner who reads this. */
export function RemoteImage({ src, alt }: { readonly src: string | undefined; readonly alt: string | undefined }) {
  const name = alt || t('blocks.picture');
  return (
    <span className="inline-flex items-center gap-1 rounded border border-line bg-sunken px-1.5 py-0.5 text-xs">
      <ExternalLink size={12} aria-hidden />
      <SafeLink href={src}>{name}</SafeLink>
    </span>
  );
}
