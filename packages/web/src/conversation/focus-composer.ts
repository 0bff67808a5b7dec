/** The composer's field, by which other parts of the screen find it. */
export const COMPOSER_ID = 'composer';

export function focusComposer(): void {
  requestAnimationFrame(() => document.getElementById(COMPOSER_ID)?.focus());
}
