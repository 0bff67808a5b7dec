import { useEffect, useState } from 'react';

const SETTLED_MS = 150;

/** True once it has stayed on screen for a moment: what flies by in scrolling asks for nothing. */
export function useSettled(): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLED_MS);
    return () => clearTimeout(timer);
  }, []);
  return isSettled;
}
