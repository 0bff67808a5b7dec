import { useEffect, useRef, useState } from 'react';

const PREFIX = 'skein.draft.';

/** The unsent text of a place, stored in the browser. With `follows` the place moves by itself and the draft moves along. */
export function useDraft(place: string, follows: boolean): readonly [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => ({ place, text: stored(place) }));
  const followed = useRef(follows);
  let { text } = draft;
  if (draft.place !== place) {
    const own = stored(place);
    text = own === '' && followed.current ? draft.text : own;
    setDraft({ place, text });
  }
  useEffect(() => {
    followed.current = follows;
  }, [follows]);
  const set = (next: string) => {
    setDraft({ place, text: next });
    keep(place, next);
  };
  return [text, set];
}

function stored(place: string): string {
  return localStorage.getItem(PREFIX + place) ?? '';
}

function keep(place: string, text: string): void {
  if (text === '') localStorage.removeItem(PREFIX + place);
  else localStorage.setItem(PREFIX + place, text);
}
