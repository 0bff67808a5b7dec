import { assistant, type ContentBlock, isObject, type JsonObject, system, toolResult, user } from '@skein/core';
import { wrongShape } from '../format-error.ts';
import type { BuiltInImporter } from '../importer.ts';
import { argumentsText, readObject, readTime, textMember } from '../source/exact-json.ts';
import { openSqlite, type SqliteFile, type SqliteValue } from '../source/sqlite.ts';
import { chainMessages, type MessageWithFacts, toMedia } from './source-conversation.ts';

/** The log of simonw's `llm` (`llm logs path`): a database of SQLite with a row for each response. */
export const llm: BuiltInImporter = {
  recognisedBy: 'a database with the tables "conversations" and "responses"',
  read(text) {
    const { value } = readObject(text, 'a conversation of the log of llm');
    if (!Array.isArray(value.responses)) throw wrongShape('"responses"');
    const messages = value.responses.filter(isObject).flatMap(readResponse);
    const times = messages.flatMap(({ at }) => at ?? []);
    const id = textMember(value, 'id');
    return {
      ...(id !== undefined && { id }),
      title: textMember(value, 'name') ?? '',
      ...(times.length > 0 && { createdAt: Math.min(...times), updatedAt: Math.max(...times) }),
      messages: chainMessages(dropRepeatedSystem(messages)),
    };
  },
};

function readResponse(response: JsonObject): MessageWithFacts[] {
  const list = (name: string) => (Array.isArray(response[name]) ? (response[name] as unknown[]).filter(isObject) : []);
  const at = readTime(`${textMember(response, 'datetime_utc') ?? ''}Z`.replace(/ZZ$|\+00:00Z$/, 'Z'));
  const rule = textMember(response, 'system');
  const prompt = textMember(response, 'prompt') ?? '';
  const files = list('attachments').flatMap(readAttachment);
  const results = list('tool_results').map(({ tool_call_id: id, output }) =>
    toolResult(String(id ?? ''), typeof output === 'string' ? output : JSON.stringify(output ?? '')),
  );
  const calls = list('tool_calls').map(
    ({ tool_call_id: id, name, arguments: given }): ContentBlock => ({
      ...{ type: 'tool-use', id: String(id ?? ''), name: String(name), parameters: {} },
      rawParameters: argumentsText(given, undefined),
    }),
  );
  const model = textMember(response, 'resolved_model') ?? textMember(response, 'model');
  const tokens = (name: string) => Number(response[name] ?? 0) || 0;
  const [input, output] = [tokens('input_tokens'), tokens('output_tokens')];
  const usage = { input, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output, reasoning: 0, native: 'null' };
  const answer = textMember(response, 'response') ?? '';
  const blocks: ContentBlock[] = [
    ...(answer === '' && calls.length > 0 ? [] : [{ type: 'text', text: answer } as const]),
    ...calls,
  ];
  const asked: ContentBlock[] = [...files, ...(prompt === '' ? [] : [{ type: 'text', text: prompt } as const])];
  return [
    ...(rule ? [{ message: system(rule), at }] : []),
    ...results.map((message) => ({ message, at })),
    ...(asked.length > 0 || results.length === 0 ? [{ message: user(asked), at }] : []),
    {
      message: assistant(blocks),
      at,
      take: {
        author: 'model',
        ...(model !== undefined && { model }),
        ...(input + output > 0 && { usage }),
        extra: { id: response.id, ...(isObject(response.options_json) && { options: response.options_json }) },
      },
    },
  ];
}

function readAttachment({ type, url, content, path }: JsonObject): ContentBlock[] {
  const mediaType = typeof type === 'string' ? type : 'application/octet-stream';
  if (typeof content === 'string') return [{ type: 'media', mediaType, source: { kind: 'base64', data: content } }];
  if (typeof url === 'string') return [toMedia(url, mediaType)];
  return typeof path === 'string' ? [{ type: 'media', mediaType, source: { kind: 'file', id: path } }] : [];
}

/** Every response repeats the system text of its conversation. */
function dropRepeatedSystem(messages: readonly MessageWithFacts[]): MessageWithFacts[] {
  let last: string | undefined;
  return messages.filter(({ message }) => {
    if (message.role !== 'system') return true;
    const isRepeated = message.raw === last;
    last = message.raw;
    return !isRepeated;
  });
}

type Row = Readonly<Record<string, SqliteValue>>;

/** The conversations of a log, each as one line of JSON. The database is not changed. */
export async function* readLlmLog(path: string): AsyncGenerator<string> {
  const file = await openSqlite(path);
  try {
    if (!['conversations', 'responses'].every((table) => file.tables.includes(table)))
      throw wrongShape(
        `a log of llm: ${path} is a database of SQLite without the tables "conversations" and "responses"`,
      );
    const names = new Map((await rowsOf(file, 'conversations')).map((row) => [row.id, row.name]));
    const attachments = new Map((await rowsOf(file, 'attachments')).map((row) => [row.id, row] as const));
    const byResponse = async (table: string) => groupBy(await rowsOf(file, table), 'response_id');
    const [used, calls, results] = await Promise.all(
      ['prompt_attachments', 'tool_calls', 'tool_results'].map(byResponse),
    );
    const conversations = groupBy(await rowsOf(file, 'responses'), 'conversation_id');
    for (const [id, responses] of conversations) {
      const listed = responses
        .toSorted((a, b) => (String(a.datetime_utc) < String(b.datetime_utc) ? -1 : 1))
        .map((row) => ({
          ...row,
          attachments: (used?.get(row.id!) ?? []).map((one) => attachments.get(one.attachment_id!)),
          tool_calls: calls?.get(row.id!) ?? [],
          tool_results: results?.get(row.id!) ?? [],
        }));
      yield `${JSON.stringify({ id, name: names.get(id), responses: listed }, writable)}\n`;
    }
  } finally {
    await file.close();
  }
}

async function rowsOf(file: SqliteFile, table: string): Promise<Row[]> {
  const rows: Row[] = [];
  // Older versions do not have every table.
  if (file.tables.includes(table)) for await (const row of file.rows(table)) rows.push(row);
  return rows;
}

function groupBy(rows: readonly Row[], column: string): Map<SqliteValue, Row[]> {
  const groups = new Map<SqliteValue, Row[]>();
  for (const row of rows) {
    const key = row[column] ?? null;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** Bytes as base64, and large integers as texts. */
function writable(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
}
