import type { Manifest } from '@skein/core';
import { DamageError } from './damage.ts';
import { sha256 } from './ids.ts';
import type { BodyRecord } from './records.ts';

/**
 * A manifest as it is stored, in a body. It does not repeat what it has in common with the manifest that it extends. The
 * head, which every request repeats, is a body of its own.
 */
interface StoredManifest {
  readonly format: 'skein/manifest';
  readonly version: 1;
  /** `digest` of the stored manifest it extends. */
  readonly base?: string;
  /** How many elements and messages it has in common with that one. */
  readonly keep: { readonly elements: number; readonly messages: number };
  /** `digest` of the body that holds the head. */
  readonly head: string;
  readonly rest: Omit<Manifest, 'head' | 'elements' | 'messages' | 'prefix'>;
  readonly elements: Manifest['elements'];
  readonly messages: Manifest['messages'];
}

/** Makes the bodies that store a manifest, the manifest itself last. `base` is a stored manifest that it extends. */
export function storeManifest(
  manifest: Manifest,
  base?: { readonly digest: string; readonly manifest: Manifest },
): readonly [head: BodyRecord, stored: BodyRecord] {
  const { head, elements, messages, version, dialect, issuer, model, account, refused, tail, losses, start, response } =
    manifest;
  const keep = {
    elements: common(base?.manifest.elements ?? [], elements, isSameElement),
    messages: common(base?.manifest.messages ?? [], messages, Object.is),
  };
  const stored: StoredManifest = {
    format: 'skein/manifest',
    version: 1,
    ...(base && { base: base.digest }),
    keep,
    head: sha256(head),
    rest: {
      version,
      dialect,
      issuer,
      model,
      ...(account !== undefined && { account }),
      refused,
      tail,
      losses,
      start,
      ...(response && { response }),
    },
    elements: elements.slice(keep.elements),
    messages: messages.slice(keep.messages),
  };
  return [makeBody(head), makeBody(JSON.stringify(stored))];
}

/** Rebuilds a manifest from its bodies; `bodyAt` reads a body and throws when there is none. */
export async function restoreManifest(
  digest: string,
  bodyAt: (digest: string) => Promise<string>,
): Promise<Omit<Manifest, 'prefix'>> {
  const chain: StoredManifest[] = [];
  for (let at: string | undefined = digest; at !== undefined; ) {
    const stored = readStored(await bodyAt(at), at);
    chain.push(stored);
    at = stored.base;
  }
  const elements: Manifest['elements'][number][] = [];
  const messages: string[] = [];
  for (const stored of chain.reverse()) {
    elements.length = stored.keep.elements;
    messages.length = stored.keep.messages;
    for (const element of stored.elements) elements.push(element);
    for (const message of stored.messages) messages.push(message);
  }
  const last = chain.at(-1)!;
  return { ...last.rest, head: await bodyAt(last.head), elements, messages };
}

function readStored(text: string, digest: string): StoredManifest {
  const value: unknown = JSON.parse(text);
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (format !== 'skein/manifest' || version !== 1)
    throw new DamageError(`Body ${digest} is not a manifest of version 1`);
  return value as StoredManifest;
}

function makeBody(text: string): BodyRecord {
  return { k: 'body', digest: sha256(text), text };
}

function common<T>(before: readonly T[], after: readonly T[], isSame: (a: T, b: T) => boolean): number {
  let count = 0;
  while (count < before.length && count < after.length && isSame(before[count]!, after[count]!)) count += 1;
  return count;
}

/** A manifest shares the elements of the one it extends, unless that was loaded: then they are equal. */
function isSameElement(a: Manifest['elements'][number], b: Manifest['elements'][number]): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
