/** An issuer's memory: what it put into its replies, so that a judge recognises it when it comes back. */
import { type Message, parseJson } from '@skein/core';
import { type IssuedValue, type Memory, prefixDigest } from '@skein/emulator';

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export class Issuer implements Memory {
  readonly #issued = new Map<string, IssuedValue>();
  readonly #fields = new Set<string>();
  readonly #following = new Map<string, string>();
  readonly #reasoning = new Map<string, string>();

  /** Remembers a reply; with the body of the request that led to it, its signatures are bound to that. */
  remember(reply: Message, body?: string): void {
    const value = parseJson(reply.raw);
    this.#walk(value, reply.origin.model ?? '');
    if (Array.isArray(value)) this.#rememberItems(value.filter(isFields));
    if (body !== undefined && reply.origin.dialect === 'anthropic-messages')
      this.#bind(value as Fields, parseJson(body) as Fields);
  }

  issued(value: string): IssuedValue | undefined {
    return this.#issued.get(value);
  }

  stored(): boolean {
    return false;
  }

  ownField(path: string): boolean {
    return this.#fields.has(path.slice(path.lastIndexOf('.') + 1));
  }

  following(id: string): string | undefined {
    return this.#following.get(id);
  }

  reasoningOf(id: string): string | undefined {
    return this.#reasoning.get(id);
  }

  #walk(value: unknown, model: string): void {
    if (Array.isArray(value)) for (const item of value) this.#walk(item, model);
    if (!isFields(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      this.#fields.add(name);
      if (typeof inner === 'string') this.#issue(name, inner, value, model);
      if (name !== 'input' && name !== 'args') this.#walk(inner, model);
    }
  }

  #issue(name: string, secret: string, beside: Fields, model: string): void {
    const text = name === 'signature' ? beside.thinking : undefined;
    const call = isFields(beside.functionCall) ? beside.functionCall.name : undefined;
    const known = [text, call].find((value) => typeof value === 'string');
    this.#issued.set(secret, { model, ...(known !== undefined && { text: known }) });
  }

  #rememberItems(items: readonly Fields[]): void {
    let reasoning: string | undefined;
    for (const [index, item] of items.entries()) {
      const id = `${item.id}`;
      const next = items[index + 1]?.id;
      if (item.type === 'reasoning') {
        reasoning = id;
        if (typeof next === 'string') this.#following.set(id, next);
      } else if (reasoning !== undefined) this.#reasoning.set(id, reasoning);
    }
  }

  /** A signature knows the conversation before it, in the emulator's own digest. */
  #bind(reply: Fields, body: Fields): void {
    const before = Array.isArray(body.messages) ? body.messages : [];
    const after = { ...body, messages: [...before, reply] };
    for (const [index, block] of (Array.isArray(reply.content) ? reply.content : []).entries()) {
      const proof = block?.signature ?? block?.data;
      const issued = this.#issued.get(proof);
      if (issued) this.#issued.set(proof, { ...issued, prefix: prefixDigest(after, before.length, index) });
    }
  }
}
