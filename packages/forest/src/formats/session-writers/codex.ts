import { type JsonObject, openaiResponses } from '@skein/core';
import { messagesIn, type SessionWriter, timeText } from './session-writer.ts';

/** Writes sessions that `codex resume` goes on with. */
export const codexWriter: SessionWriter = {
  agent: 'codex',
  tools: new Set('apply_patch exec_command local_shell shell update_plan view_image write_stdin web_search'.split(' ')),
  write(source) {
    const { id, cwd, model } = source;
    const { texts, losses } = messagesIn(openaiResponses, source, this.tools);
    const begun = timeText(source, 0);
    const line = (timestamp: string, type: string, payload: string) =>
      `{"timestamp":"${timestamp}","type":"${type}","payload":${payload}}`;
    const meta = {
      id,
      timestamp: begun,
      cwd,
      originator: 'codex_exec',
      cli_version: '0.166.0',
      source: 'exec',
      model_provider: 'openai',
    };
    const context = { cwd, approval_policy: 'never', sandbox_policy: { type: 'read-only' }, model, summary: 'auto' };
    const items = texts.map((text, index) => line(timeText(source, index), 'response_item', toItem(text)));
    const lines = [
      line(begun, 'session_meta', JSON.stringify(meta)),
      line(begun, 'turn_context', JSON.stringify(context)),
      ...items,
    ];
    const [day = '', time = ''] = begun.split('T');
    const name = `rollout-${day}T${time.slice(0, 8).replaceAll(':', '-')}-${id}.jsonl`;
    return {
      files: [{ path: `sessions/${day.replaceAll('-', '/')}/${name}`, text: `${lines.join('\n')}\n` }],
      resume: ['codex', 'resume', id],
      losses,
    };
  },
};

/** An item as Codex reads it. It drops messages in their short form, without a type or with a bare text, and tells nobody. */
function toItem(text: string): string {
  const item = JSON.parse(text) as JsonObject;
  if (item.type !== undefined && typeof item.content !== 'string') return text;
  const type = item.role === 'assistant' ? 'output_text' : 'input_text';
  const content = typeof item.content === 'string' ? [{ type, text: item.content }] : item.content;
  return JSON.stringify({ type: 'message', ...item, content });
}
