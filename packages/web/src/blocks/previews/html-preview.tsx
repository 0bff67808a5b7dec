import { Play } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { t } from '../../words/words.ts';

/** Nothing is loaded: not from elsewhere, and not from this server. */
const NO_NETWORK =
  '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'; img-src data:; font-src data:">';

/**
 * HTML of a model in a frame of its own, which has no access to this page and no network. Its scripts run only when the reader
 * asks for it, in a page of the server that allows no requests.
 */
export function HtmlPreview({ html }: { readonly html: string }) {
  const [isRunning, setRunning] = useState(false);
  return (
    <div>
      {isRunning ? (
        <RunningFrame html={html} />
      ) : (
        <iframe title={t('blocks.preview-label')} sandbox="" srcDoc={NO_NETWORK + html} className={FRAME} />
      )}
      <p className="flex items-center gap-2 border-t border-line px-3 py-1.5 text-xs text-soft">
        <span className="grow">{isRunning ? t('blocks.preview-runs') : t('blocks.preview-still')}</span>
        <Button small look="quiet" onClick={() => setRunning(!isRunning)}>
          {!isRunning && <Play size={12} aria-hidden />}
          {isRunning ? t('blocks.stop-scripts') : t('blocks.run-scripts')}
        </Button>
      </p>
    </div>
  );
}

const FRAME = 'block h-96 w-full resize-y bg-white';

/** The frame asks for its content when it is loaded: a sandboxed frame has no origin that could be named. */
function RunningFrame({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const give = ({ source, data }: MessageEvent) => {
      const { contentWindow } = frame.current ?? {};
      if (contentWindow && source === contentWindow && data === 'skein-preview') contentWindow.postMessage(html, '*');
    };
    window.addEventListener('message', give);
    return () => window.removeEventListener('message', give);
  }, [html]);
  return (
    <iframe
      key={html}
      ref={frame}
      title={t('blocks.preview')}
      sandbox="allow-scripts"
      src="/preview.html"
      className={FRAME}
    />
  );
}
