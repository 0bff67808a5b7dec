import { anthropicMessages, elementTexts, isObject, textAt } from '@skein/core';
import { messagesIn, type SessionWriter, stableUuid, timeText } from './session-writer.ts';

const VERSION = '2.1.197';

/** Writes sessions that `claude --resume` goes on with. */
export const claudeCodeWriter: SessionWriter = {
  agent: 'claude-code',
  tools: new Set(
    'Agent AskUserQuestion Bash BashOutput Edit ExitPlanMode Glob Grep KillShell LSP MultiEdit NotebookEdit Read SlashCommand Skill Task TodoWrite WebFetch WebSearch Write'.split(
      ' ',
    ),
  ),
  write(source) {
    const { id, cwd, model } = source;
    const { texts, losses } = messagesIn(anthropicMessages, source, this.tools);
    const lines: string[] = [];
    let parent: string | null = null;
    const add = (index: number, part: number, type: string, message: string) => {
      const uuid = stableUuid(id, index, part);
      const before = JSON.stringify({
        parentUuid: parent,
        isSidechain: false,
        userType: 'external',
        cwd,
        sessionId: id,
        version: VERSION,
        gitBranch: '',
        type,
      });
      lines.push(
        `${before.slice(0, -1)},"message":${message},"uuid":"${uuid}","timestamp":"${timeText(source, index)}"}`,
      );
      parent = uuid;
    };
    for (const [index, text] of texts.entries()) {
      const content = textAt(text, ['content'])!;
      if (JSON.parse(textAt(text, ['role'])!) === 'user') add(index, 0, 'user', text);
      else
        for (const [part, block] of blockTexts(content).entries())
          add(
            index,
            part,
            'assistant',
            replyText(block, `msg_${stableUuid(id, index).replaceAll('-', '').slice(0, 24)}`, model),
          );
    }
    const leaf = parent as string | null;
    if (leaf !== null) lines.push(JSON.stringify({ type: 'last-prompt', leafUuid: leaf, sessionId: id }));
    if (source.title !== '')
      lines.push(JSON.stringify({ type: 'custom-title', customTitle: source.title, sessionId: id }));
    return {
      files: [{ path: `projects/${cwd.replace(/[^A-Za-z0-9]/g, '-')}/${id}.jsonl`, text: `${lines.join('\n')}\n` }],
      resume: ['claude', '--resume', id],
      losses,
    };
  },
};

function blockTexts(content: string): readonly string[] {
  return content.startsWith('"') ? [`{"type":"text","text":${content}}`] : elementTexts(content);
}

/** A reply has one line for each block; they share its id. */
function replyText(block: string, id: string, model: string): string {
  const value: unknown = JSON.parse(block);
  const stop = isObject(value) && value.type === 'tool_use' ? 'tool_use' : 'end_turn';
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 };
  const head = JSON.stringify({
    id,
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: stop,
    stop_sequence: null,
    usage,
  });
  return `${head.slice(0, -1)},"content":[${block}]}`;
}
