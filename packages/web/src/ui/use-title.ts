import { useEffect } from 'react';

/** What the browser calls this page while a screen is shown. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title ? `${title} · Skein` : 'Skein';
  }, [title]);
}
