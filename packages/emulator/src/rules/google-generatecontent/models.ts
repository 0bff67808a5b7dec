/** What a Gemini model enforces, by its name. Unknown names count as the newest model. */

export interface Model {
  /** 3.1 is 3.01, so that 3.10 would sort after 3.9. */
  readonly version: number;
  /** `flash-lite-preview`, `pro-image` */
  readonly variant: string;
}

const version = (major: number, minor: number): number => major + minor / 100;

export function parseModel(name: string): Model {
  const parts = /gemini-(\d+)(?:\.(\d+))?(?:-(.*))?$/.exec(name);
  if (!parts) {
    // Gemma and the 1.0 aliases never sign anything.
    const old = /gemma|gemini-pro$|gemini-pro-vision/.test(name);
    return { version: old ? 1 : Number.POSITIVE_INFINITY, variant: '' };
  }
  return { version: version(Number(parts[1]), Number(parts[2] ?? 0)), variant: parts[3] ?? '' };
}

/** Whether function calls must be sent back signed: from 3 on, except with image models. */
export const demandsSignature = ({ version, variant }: Model): boolean => version >= 3 && !variant.includes('image');

/** 3.6 and later, and 3.5-flash-lite. */
export const refusesModelTail = (m: Model): boolean =>
  m.version >= version(3, 6) || (m.version === version(3, 5) && m.variant.startsWith('flash-lite'));
