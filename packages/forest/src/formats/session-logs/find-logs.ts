import { opendir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { isObject, type JsonObject } from '@skein/core';
import type { ImportedSession } from '../importer.ts';
import { findLogFormat } from '../importers/index.ts';
import { textMember } from '../source/exact-json.ts';
import { CODING_AGENTS, type CodingAgent } from './coding-agents.ts';
import { readLogLines } from './session-log.ts';

/** The log of a session, or a database of several. */
export interface FoundLog {
  readonly agent: CodingAgent;
  readonly path: string;
  readonly size: number;
  /** When it was last written, in milliseconds. */
  readonly mtime: number;
}

/** The logs in a folder and below it, or those of them at some paths, in the order of their names. */
export async function findLogs(agent: CodingAgent, folder: string, paths?: ReadonlySet<string>): Promise<FoundLog[]> {
  const found: FoundLog[] = [];
  const inside = paths && [...paths].filter((path) => path.startsWith(join(folder, sep)));
  for await (const path of inside ?? filesBelow(folder)) {
    if (!agent.isLog(path)) continue;
    const facts = await readLogFacts(path);
    if (facts) found.push({ agent, path, ...facts });
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A database changes in its write-ahead log first, so that counts, too. */
async function readLogFacts(path: string): Promise<Pick<FoundLog, 'size' | 'mtime'> | undefined> {
  const [facts, ahead] = await Promise.all(
    [path, ...(path.endsWith('.db') ? [`${path}-wal`] : [])].map((one) => stat(one).catch(() => undefined)),
  );
  if (!facts) return undefined;
  const mtime = Math.round(Math.max(facts.mtimeMs, ahead?.mtimeMs ?? 0));
  return { size: facts.size + (ahead?.size ?? 0), mtime };
}

/** Links are not followed: they could lead out of the folder, or in a circle. */
async function* filesBelow(folder: string): AsyncGenerator<string> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (!entries) return;
  for await (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

/** The agent whose logs a folder holds, by what is in it; undefined if there are none. */
export async function agentOfFolder(folder: string): Promise<CodingAgent | undefined> {
  for await (const path of filesBelow(folder)) {
    const candidates = CODING_AGENTS.filter((agent) => agent.isLog(path));
    if (candidates.length === 1 && !path.endsWith('.jsonl')) return candidates[0];
    const format = candidates.length === 0 ? undefined : await formatOf(path);
    const agent = candidates.find(({ id }) => id === format);
    if (agent) return agent;
  }
  return undefined;
}

/** Logs of several agents have the same ending: the first line tells them apart. */
async function formatOf(path: string): Promise<string | undefined> {
  const { lines } = readLogLines((await readFile(path, 'utf8')).split('\n', 1).join(''));
  return lines[0] && findLogFormat(lines[0].value);
}

/** What a file beside the log of a subagent says of it. */
export async function readSubagentFacts(path: string): Promise<Pick<ImportedSession, 'startedBy'>> {
  if (!/[/\\]agent-[^/\\]+\.jsonl$/.test(path)) return {};
  const text = await readFile(path.replace(/\.jsonl$/, '.meta.json'), 'utf8').catch(() => '{}');
  const startedBy = textMember(parseFacts(text), 'toolUseId');
  return startedBy === undefined ? {} : { startedBy };
}

function parseFacts(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
