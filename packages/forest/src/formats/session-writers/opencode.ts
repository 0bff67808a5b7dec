import { anthropicMessages, type JsonObject, type Message } from '@skein/core';
import { messagesIn, type SessionWriter, stableUuid, tellForeignCalls } from './session-writer.ts';

/** Writes sessions that `opencode import` takes, and `opencode run --session` goes on with. */
export const opencodeWriter: SessionWriter = {
  agent: 'opencode',
  tools: new Set(
    'bash edit glob grep list patch question read skill task todoread todowrite webfetch websearch write'.split(' '),
  ),
  write(source) {
    const { id, cwd, title, times, model } = source;
    const session = sortableId('ses', times[0] ?? 0, id);
    const messages = tellForeignCalls(source.messages, this.tools).messages.filter(({ role }) => role !== 'system');
    const { losses } = messagesIn(anthropicMessages, source, this.tools);
    const results = new Map(
      messages.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === 'tool-result' ? [[block.toolCallId, block] as const] : [])),
      ),
    );
    const [providerID = '', ...rest] = model.includes('/') ? model.split('/') : [anthropicMessages.home.id, model];
    const chosen = { providerID, modelID: rest.join('/') };
    let asked = '';
    const written = messages.flatMap((message, index) => {
      const parts = partsOf(message, results);
      if (parts.length === 0) return [];
      const time = { created: times[Math.min(index, times.length - 1)] ?? 0 };
      const own = sortableId('msg', time.created + index, `${id}${index}`);
      const isReply = message.role === 'assistant';
      if (!isReply) asked = own;
      const about = isReply
        ? {
            parentID: asked,
            mode: 'build',
            agent: 'build',
            path: { cwd, root: cwd },
            cost: 0,
            tokens: NO_TOKENS,
            ...chosen,
            time: { ...time, completed: time.created },
            finish: 'stop',
          }
        : { agent: 'build', model: chosen, time };
      return [
        {
          info: { id: own, sessionID: session, role: isReply ? 'assistant' : 'user', ...about },
          parts: parts.map((part, at) => ({
            id: sortableId('prt', time.created + index, `${id}${index}.${at}`),
            sessionID: session,
            messageID: own,
            ...part,
          })),
        },
      ];
    });
    const info = {
      id: session,
      slug: session,
      projectID: 'global',
      directory: cwd,
      title: title || 'Conversation',
      version: '1.18.33',
      time: { created: times[0] ?? 0, updated: times.at(-1) ?? 0 },
    };
    return {
      files: [{ path: `${session}.json`, text: `${JSON.stringify({ info, messages: written }, null, 2)}\n` }],
      resume: ['opencode', 'run', '--session', session],
      losses,
    };
  },
};

const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

/** Ids sort by the time at which they were made. */
function sortableId(prefix: string, at: number, words: string): string {
  return `${prefix}_${Math.max(0, Math.floor(at)).toString(16).padStart(12, '0').slice(-12)}${stableUuid(prefix, words).replaceAll('-', '').slice(0, 14)}`;
}

type ToolResult = Extract<Message['content'][number], { type: 'tool-result' }>;

function partsOf({ content }: Message, results: ReadonlyMap<string, ToolResult>): JsonObject[] {
  return content.flatMap((block): JsonObject[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type === 'media' && block.source.kind === 'base64')
      return [{ type: 'file', mime: block.mediaType, url: `data:${block.mediaType};base64,${block.source.data}` }];
    if (block.type !== 'tool-use') return [];
    const result = results.get(block.id);
    const output = (result?.content ?? []).map((one) => (one.type === 'text' ? one.text : '')).join('\n');
    const state = {
      status: result?.isError ? 'error' : 'completed',
      input: JSON.parse(block.rawParameters || '{}') as unknown,
      ...(result?.isError ? { error: output } : { output, title: block.name, metadata: {} }),
      time: { start: 0, end: 0 },
    };
    return [{ type: 'tool', tool: block.name, callID: block.id, state }];
  });
}
