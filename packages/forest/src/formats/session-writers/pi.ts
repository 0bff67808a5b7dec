import { anthropicMessages, type ContentBlock, isObject, type JsonObject, type Message, textAt } from '@skein/core';
import { messagesIn, type SessionWriter, stableUuid, tellForeignCalls, timeText } from './session-writer.ts';

/** Writes sessions that `pi --resume` goes on with. */
export const piWriter: SessionWriter = {
  agent: 'pi',
  tools: new Set('bash edit find grep ls read write'.split(' ')),
  write(source) {
    const { id, cwd, model } = source;
    const messages = tellForeignCalls(source.messages, this.tools).messages.filter(({ role }) => role !== 'system');
    const { losses } = messagesIn(anthropicMessages, source, this.tools);
    const lines = [JSON.stringify({ type: 'session', version: 3, id, timestamp: timeText(source, 0), cwd })];
    // To another model, pi sends thoughts as texts, under the id of the text beside them, which OpenAI refuses.
    const keepsThoughts = !source.isNewModel;
    let parentId: string | null = null;
    for (const [index, message] of messages.entries())
      for (const [part, entry] of toEntries(message, model, keepsThoughts).entries()) {
        const own = stableUuid(id, index, part).slice(0, 8);
        const timestamp = timeText(source, index);
        lines.push(
          JSON.stringify({
            type: 'message',
            id: own,
            parentId,
            timestamp,
            message: { ...entry, timestamp: Date.parse(timestamp) },
          }),
        );
        parentId = own;
      }
    if (source.title !== '')
      lines.push(
        JSON.stringify({
          type: 'session_info',
          id: stableUuid(id, 'title').slice(0, 8),
          parentId,
          timestamp: timeText(source, messages.length),
          name: source.title,
        }),
      );
    const folder = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
    const time = timeText(source, 0).replace(/[:.]/g, '-');
    return {
      files: [{ path: `sessions/${folder}/${time}_${id}.jsonl`, text: `${lines.join('\n')}\n` }],
      resume: ['pi', '--continue'],
      losses,
    };
  },
};

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Each result has an entry of its own. */
function toEntries(message: Message, model: string, keepsThoughts: boolean): JsonObject[] {
  const results = message.content.flatMap((block): JsonObject[] =>
    block.type === 'tool-result'
      ? [
          {
            role: 'toolResult',
            toolCallId: block.toolCallId,
            toolName: '',
            content: block.content.flatMap(toPart),
            isError: block.isError === true,
          },
        ]
      : [],
  );
  const said = message.content.filter((block) => block.type !== 'tool-result');
  if (said.length === 0) return results;
  if (message.role !== 'assistant') return [...results, { role: 'user', content: said.flatMap(toPart) }];
  const isOwn = keepsThoughts && message.origin.dialect === anthropicMessages.id;
  const content = said.flatMap((block, index) => toReplyPart(block, isOwn ? signatureOf(message, index) : undefined));
  const stopReason = said.some(({ type }) => type === 'tool-use') ? 'toolUse' : 'stop';
  return [
    {
      role: 'assistant',
      content,
      api: anthropicMessages.id,
      provider: anthropicMessages.home.id,
      model,
      usage: NO_USAGE,
      stopReason,
    },
  ];
}

function toPart(block: ContentBlock): JsonObject[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'media' && block.source.kind === 'base64')
    return [{ type: 'image', data: block.source.data, mimeType: block.mediaType }];
  return block.type === 'refusal' ? [{ type: 'text', text: block.text }] : [];
}

function toReplyPart(block: ContentBlock, signature: string | undefined): JsonObject[] {
  // Thoughts without what their provider sealed cannot be sent back.
  if (block.type === 'reasoning')
    return signature === undefined ? [] : [{ type: 'thinking', thinking: block.text, thinkingSignature: signature }];
  if (block.type === 'tool-use')
    return [
      {
        type: 'toolCall',
        id: block.id,
        name: block.name,
        arguments: JSON.parse(block.rawParameters || '{}') as unknown,
      },
    ];
  return toPart(block);
}

function signatureOf({ raw }: Message, index: number): string | undefined {
  const text = textAt(raw, ['content', index]);
  const block: unknown = text === undefined ? undefined : JSON.parse(text);
  return isObject(block) && typeof block.signature === 'string' ? block.signature : undefined;
}
