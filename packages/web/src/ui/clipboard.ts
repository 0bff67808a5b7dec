import { t } from '../words/words.ts';

/** Puts a text on the clipboard. A page that another machine reads over plain HTTP has only the older way. */
export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const take = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    // Whatever else listens would write the selection instead.
    event.stopImmediatePropagation();
  };
  document.addEventListener('copy', take, { capture: true });
  const isCopied = document.execCommand('copy');
  document.removeEventListener('copy', take, { capture: true });
  if (!isCopied) throw new Error(t('ui.clipboard-refused'));
}
