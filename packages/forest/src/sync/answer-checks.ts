import { CHILDREN, ID, type RecordItem, type RecordSummary } from './record-index.ts';
import type { SyncPage } from './sync-peer.ts';

/** Whether the answer of another side has the form of an answer: connections alter what they carry, and addresses are mistaken. */

export function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

export function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

/** For each of so many prefixes, the summaries of those that are one digit longer. */
export function isSummaries(value: unknown, prefixes: number): value is RecordSummary[][] {
  const isGroup = (group: unknown) => Array.isArray(group) && group.length === CHILDREN && group.every(isSummary);
  return Array.isArray(value) && value.length === prefixes && value.every(isGroup);
}

function isSummary(value: unknown): value is RecordSummary {
  return isObject(value) && isInteger(value.count) && isText(value.sum);
}

export function isItems(value: unknown): value is RecordItem[] {
  return Array.isArray(value) && value.every(isItem);
}

function isItem(value: unknown): value is RecordItem {
  if (!isObject(value)) return false;
  const { id, rank, key, version } = value;
  const isVersion = version === undefined || isText(version) || typeof version === 'number';
  return isText(id) && ID.test(id) && isInteger(rank) && isText(key) && isVersion;
}

/** What is in the records is verified where they are read. */
export function isPage(value: unknown): value is SyncPage {
  return isObject(value) && Array.isArray(value.records) && value.records.every(isObject) && isInteger(value.done);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
