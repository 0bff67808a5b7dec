import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { tip } from './tip.tsx';

type Look = 'plain' | 'primary' | 'danger' | 'quiet';

const LOOKS: Readonly<Record<Look, string>> = {
  plain: 'border border-line bg-surface text-ink hover:bg-hover',
  primary: 'border border-transparent bg-accent text-accent-ink hover:opacity-90',
  danger: 'border border-transparent bg-danger-soft text-danger hover:opacity-90',
  quiet: 'border border-transparent text-soft hover:bg-hover hover:text-ink',
};

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  readonly small?: boolean;
}

export function Button({ look = 'plain', small = false, className = '', type = 'button', ...rest }: ButtonProps) {
  return <button type={type} className={`${buttonLook(look, small)} ${className}`} {...rest} />;
}

/** The classes of a button, for links that look like one. */
export function buttonLook(look: Look, small = false): string {
  const size = small
    ? 'h-7 px-2 text-xs pointer-coarse:h-10 pointer-coarse:min-w-10'
    : 'h-8 px-3 text-sm pointer-coarse:h-10';
  return `inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50 ${size} ${LOOKS[look]}`;
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** Names the action for screen readers and in the tooltip. */
  readonly label: string;
  readonly keys?: string;
  readonly children: ReactNode;
  readonly pressed?: boolean;
}

/** A button that shows only an icon of 16 pixels. */
export function IconButton({ label, keys, pressed, className = '', children, ...rest }: IconButtonProps) {
  const state = pressed ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-hover hover:text-ink';
  return (
    <button
      type="button"
      aria-label={label}
      {...tip(label, keys)}
      {...(pressed !== undefined && { 'aria-pressed': pressed })}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-md transition-colors disabled:cursor-not-allowed disabled:opacity-40 pointer-coarse:size-10 ${state} ${className}`}
      {...rest}
    >
      {children}
    </button>
  );
}
