import type { Manifest } from '../dialects/index.ts';
import { isObject } from '../json/index.ts';
import type { Facts, Origin } from '../message/index.ts';
import type { Checkpoint } from '../run/index.ts';

// What was saved may have been edited, or cut short. What is derived and not whole is made again from the texts.

export function isOrigin(value: unknown): value is Origin {
  return isObject(value) && typeof value.dialect === 'string' && typeof value.issuer === 'string';
}

export function isFacts(value: unknown): value is Facts {
  return (
    isObject(value) &&
    typeof value.role === 'string' &&
    typeof value.digest === 'string' &&
    isListOf(value.calls, (call) => isObject(call) && isText(call.id) && isText(call.name)) &&
    isListOf(value.results, isText) &&
    isListOf(value.needs, isText)
  );
}

export function isCheckpoint(value: unknown): value is Checkpoint {
  return (
    isObject(value) && isIndex(value.upTo) && typeof value.digest === 'string' && isListOf(value.replacement, isText)
  );
}

/** A manifest of another version is no help, either; the history is then written anew. */
export function isManifest(value: unknown): value is Manifest {
  if (!isObject(value) || value.version !== 1 || !isListOf(value.messages, isText)) return false;
  const { dialect, issuer, model, head, tail, start, account = '' } = value;
  const most = (value.messages as unknown[]).length;
  const isMessage = (index: unknown) => isIndex(index) && (index as number) < most;
  const isPiece = (piece: unknown) =>
    isText(piece) || (isObject(piece) && isMessage(piece.message) && isIndex(piece.start) && isIndex(piece.end));
  return (
    isListOf([dialect, issuer, model, head, tail, start, account], isText) &&
    isListOf(value.refused, isText) &&
    isListOf(value.losses, isObject) &&
    isListOf(
      value.elements,
      (element) =>
        isObject(element) &&
        isListOf(element.of, isMessage) &&
        isListOf(element.pieces, isPiece) &&
        isListOf(element.plain ?? [], isPiece),
    )
  );
}

function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0;
}
