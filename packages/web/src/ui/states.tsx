import { CircleAlert, FileQuestion } from 'lucide-react';
import { Component, type ReactNode } from 'react';
import { Link } from 'wouter';
import { isNotFound } from '../api/problem.ts';
import { t } from '../words/words.ts';
import { Button, buttonLook } from './button.tsx';

/** What a screen or pane shows when it has nothing to show. */
export function Empty({
  title,
  children,
  icon,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  /** An icon of 20 pixels. */
  readonly icon?: ReactNode;
}) {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-1.5 px-6 py-12 text-center">
      {icon && <StateIcon>{icon}</StateIcon>}
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-sm text-balance text-soft">{children}</div>}
    </div>
  );
}

function StateIcon({ children }: { readonly children: ReactNode }) {
  return (
    <div
      aria-hidden
      className="mb-2 flex size-11 items-center justify-center rounded-full border border-line bg-surface text-faint"
    >
      {children}
    </div>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** In a pane that is too small for more than a line of text. */
  readonly small?: boolean;
}

/** Shows an error with a button to try again, or a link to the forest when the thing does not exist. */
export function Failed({ error, onRetry, small = false }: FailedProps) {
  const message = error instanceof Error ? error.message : String(error);
  if (small)
    return (
      <div role="alert" className="flex flex-col items-start gap-2 px-4 py-2 text-xs text-soft">
        <p className="break-words">{message}</p>
        {onRetry && (
          <Button small onClick={onRetry}>
            {t('ui.try-again')}
          </Button>
        )}
      </div>
    );
  return (
    <div role="alert" className="flex h-full flex-col items-center justify-center gap-1.5 px-6 py-12 text-center">
      {isNotFound(error) ? (
        <>
          <StateIcon>
            <FileQuestion size={20} />
          </StateIcon>
          <p className="font-medium">{t('ui.gone')}</p>
          <p className="mb-3 max-w-md text-sm break-words text-soft">{message}</p>
          <Link href="/" className={buttonLook('plain')}>
            {t('ui.gone-back')}
          </Link>
        </>
      ) : (
        <>
          <StateIcon>
            <CircleAlert size={20} className="text-danger" />
          </StateIcon>
          <p className="mb-3 max-w-md break-words">{message}</p>
          {onRetry && <Button onClick={onRetry}>{t('ui.try-again')}</Button>}
        </>
      )}
    </div>
  );
}

interface ScreenGuardProps {
  /** Another place has its own screen. A screen that could not be loaded is loaded again with the page. */
  readonly place: string;
  readonly children: ReactNode;
}

/** Says that a screen could not be loaded or drawn, in its place: the rest of the page goes on. */
export class ScreenGuard extends Component<ScreenGuardProps, { readonly error?: unknown; readonly place: string }> {
  override state: { readonly error?: unknown; readonly place: string } = { place: this.props.place };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  static getDerivedStateFromProps({ place }: ScreenGuardProps, before: { readonly place: string }) {
    return place === before.place ? null : { place, error: undefined };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <div role="alert" className="flex h-full flex-col items-center justify-center gap-1.5 px-6 py-12 text-center">
        <StateIcon>
          <CircleAlert size={20} className="text-danger" />
        </StateIcon>
        <h1 className="font-medium">{t('ui.broken')}</h1>
        <p className="mb-3 max-w-md text-sm break-words text-soft">{t('ui.broken-about')}</p>
        <Button onClick={() => location.reload()}>{t('ui.reload')}</Button>
      </div>
    );
  }
}

/** Grey lines in place of content that is loading. They appear only when loading takes long. */
export function Loading({ lines = 4, label = t('ui.loading') }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div role="status" aria-label={label} className="flex animate-[late_600ms_step-end] flex-col gap-3 p-4">
      {[...Array(lines).keys()].map((index) => (
        <div
          key={index}
          className="h-4 animate-pulse rounded bg-hover"
          style={{ width: `${90 - ((index * 23) % 50)}%` }}
        />
      ))}
    </div>
  );
}
