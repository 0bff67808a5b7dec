/** Something on the screen that can be pressed or filled in. */
export interface ScreenAction {
  /** As screen readers say it. */
  readonly name: string;
  readonly run: () => void;
}

const CONTROLS = 'button, summary, select, textarea, input:not([type="file"]), a[href]';
/** Places to go to, which the palette finds by their own names. */
const PLACES = 'a[data-title], .prose a, li a, nav a';
const LONGEST = 80;

/**
 * What can be pressed or filled in on the screen and in the bar above it, each name once. Where several controls have the same name,
 * such as those of messages, it is the one of the selected message.
 */
export function listScreenActions(): readonly ScreenAction[] {
  return [...findControls().keys()].map((name) => ({
    name,
    // Looked up again, because the screen may have been drawn anew.
    run: () => use(findControls().get(name)),
  }));
}

function findControls(): ReadonlyMap<string, HTMLElement> {
  const found = new Map<string, HTMLElement>();
  const all = [...document.querySelectorAll<HTMLElement>('[data-bar], main')].flatMap((part) => [
    ...part.querySelectorAll<HTMLElement>('[data-selected]'),
    part,
  ]);
  for (const control of all.flatMap((part) => [...part.querySelectorAll<HTMLElement>(CONTROLS)])) {
    const name = nameOf(control);
    if (name === '' || name.length > LONGEST || found.has(name)) continue;
    if (control.matches(`:disabled, [aria-hidden="true"], [tabindex="-1"], ${PLACES}`)) continue;
    if (control.checkVisibility({ visibilityProperty: true })) found.set(name, control);
  }
  return found;
}

function nameOf(control: HTMLElement): string {
  // Not `textContent`, which joins words that are shown apart.
  const label = control instanceof HTMLInputElement ? control.labels?.[0]?.innerText : control.innerText;
  return (control.ariaLabel ?? label ?? '').replace(/\s+/g, ' ').trim();
}

/** Presses a control, or moves the focus into a field. */
function use(control: HTMLElement | undefined): void {
  control?.focus();
  if (control && !control.matches('select, textarea, input:not([type="checkbox"], [type="radio"])')) control.click();
}
