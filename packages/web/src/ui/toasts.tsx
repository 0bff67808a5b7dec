import { isSkeinError } from '@skein/core';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { create } from 'zustand';
import { useConnection } from '../state/change-feed.ts';
import { t } from '../words/words.ts';
import { Button, IconButton } from './button.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly kind: 'info' | 'error';
  /** Shown because the server did not answer; removed when it answers again. */
  readonly isAway?: boolean;
  readonly action?: { readonly title: string; readonly run: () => void };
}

const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }));
let last = 0;

/** Shows a message for a few seconds, optionally with one action such as Undo. */
export function toast(text: string, action?: Toast['action']): void {
  add({ id: ++last, text, kind: 'info', ...(action && { action }) });
}

/** Shows an error until the reader dismisses it, or until the server answers again if it did not. */
export function toastError(error: unknown): void {
  const isAway = isSkeinError(error, 'connection');
  add({ id: ++last, text: error instanceof Error ? error.message : String(error), kind: 'error', isAway });
}

function add(one: Toast): void {
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.filter(({ text }) => text !== one.text), one].slice(-4) }));
}

function remove(id: number): void {
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) }));
}

export function Toasts() {
  const { toasts } = useToasts();
  const isConnected = useConnection((connection) => connection.isConnected);
  useEffect(() => {
    if (isConnected) useToasts.setState((state) => ({ toasts: state.toasts.filter(({ isAway }) => !isAway) }));
  }, [isConnected]);
  return (
    <section
      aria-label={t('ui.notices')}
      aria-live="polite"
      className="pointer-events-none fixed inset-x-2 top-20 z-50 flex flex-col items-center gap-2"
    >
      {toasts.map((one) => (
        <Note key={one.id} {...one} />
      ))}
    </section>
  );
}

const SHOWN_MS = 8000;

function Note({ id, text, kind, action }: Toast) {
  useEffect(() => {
    if (kind === 'error') return;
    const timer = setTimeout(() => remove(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, kind]);
  const look = kind === 'error' ? 'border-danger bg-danger-soft text-danger' : 'border-line bg-raised text-ink';
  return (
    <div
      role={kind === 'error' ? 'alert' : 'status'}
      className={`pointer-events-auto flex max-w-xl items-center gap-3 rounded-lg border py-1.5 pr-1.5 pl-3 text-sm shadow-lg ${look}`}
    >
      <span className="min-w-0 break-words">{text}</span>
      {action && (
        <Button
          small
          onClick={() => {
            remove(id);
            action.run();
          }}
        >
          {action.title}
        </Button>
      )}
      <IconButton label={t('ui.dismiss')} onClick={() => remove(id)}>
        <X size={14} />
      </IconButton>
    </div>
  );
}
