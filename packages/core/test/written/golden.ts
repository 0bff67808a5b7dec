/**
 * What requests looked like when somebody last looked at them. A release that writes other bytes for the same messages makes every
 * running conversation miss its provider's cache once, so such a change must be seen. If it is meant:
 * `SKEIN_GOLDEN=write npx vitest run packages/core/test/written packages/core/test/wire-rules`, and read the difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Loss, Message, WrittenRequest } from '@skein/core';
import { afterAll, expect } from 'vitest';
import { joinElement } from '../../src/dialects/manifest.ts';

const isWriting = process.env.SKEIN_GOLDEN === 'write';
const TITLE = '\n## ';

/** A file of texts, each under its title. */
export class Golden {
  readonly #file: URL;
  readonly #known: ReadonlyMap<string, string>;
  readonly #seen = new Map<string, string>();

  constructor(name: string) {
    this.#file = new URL(`./golden/${name}.txt`, import.meta.url);
    const sections = isWriting ? [] : `\n${readFileSync(this.#file, 'utf8')}`.split(TITLE).slice(1);
    this.#known = new Map(sections.map((section) => cut(section, '\n')));
    if (isWriting) afterAll(() => writeFileSync(this.#file, this.#print()));
  }

  expectSame(title: string, text: string): void {
    if (isWriting) this.#seen.set(title, text);
    else
      expect(text, `${title}: a request has changed; golden.ts says what to do if it is meant`).toBe(
        this.#known.get(title),
      );
  }

  #print(): string {
    return [...this.#seen].map(([title, text]) => `## ${title}\n${text}\n`).join('\n');
  }
}

function cut(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return [text.slice(0, index), text.slice(index + 1).trimEnd()];
}

/** A request as lines: what is around the message list, its elements with the messages that they stand for, and the losses. */
export function printRequest({ body, losses, manifest }: WrittenRequest, messages: readonly Message[]): string[] {
  const { head, elements, tail } = manifest;
  const texts = elements.map((element) => joinElement(element, (index) => messages[index]!.raw));
  if (body !== head + texts.join(',') + tail) throw new Error(`The body is not what its manifest says: ${body}`);
  return [`${head}…${tail}`, ...elements.map(({ of }, at) => `[${of}] ${texts[at]}`), ...losses.map(printLoss)];
}

function printLoss({ kind, message, path, reason, detail }: Loss): string {
  const place = message < 0 ? 'request' : `message ${message}`;
  return [kind, place, path, reason, detail !== undefined && `(${detail})`].filter(Boolean).join(' ');
}

/** Lines. Those that the first request has in the same order, too, are there by their numbers. */
export function printAgain(lines: readonly string[], first: readonly string[]): string {
  const printed: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const start = first.indexOf(lines[at]!);
    let count = 1;
    if (start >= 0) while (at + count < lines.length && lines[at + count] === first[start + count]) count++;
    printed.push(start < 0 ? lines[at]! : `= ${start + 1}${count > 1 ? ` to ${start + count}` : ''}`);
    at += count;
  }
  return printed.join('\n');
}
