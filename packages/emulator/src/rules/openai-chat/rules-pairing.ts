import { finding, unsure } from '../openai/finding.ts';
import { eachFields, type Fields, text } from '../openai/values.ts';
import { type ChatContext, type ChatRule, isDeepSeek } from './context.ts';

type Indexed = readonly [number, Fields];

/** An assistant message (or none) with the tool messages that stand directly behind it. */
interface Round {
  readonly calls: readonly string[];
  readonly answers: readonly Indexed[];
  /** The message that ended the round; the last message when nothing follows. */
  readonly end: number;
}

function* rounds({ messages }: ChatContext): Iterable<Round> {
  let calls: string[] = [];
  let answers: Indexed[] = [];
  for (const [index, message] of messages) {
    if (message.role === 'tool') {
      answers.push([index, message]);
      continue;
    }
    yield { calls, answers, end: index };
    answers = [];
    calls = [];
    for (const [, call] of eachFields(message.tool_calls)) calls.push(text(call.id) ?? '');
  }
  yield { calls, answers, end: Math.max(0, messages.length - 1) };
}

const insufficient =
  "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";

export const toolUnanswered: ChatRule = {
  id: 'tool-unanswered',
  *check(context) {
    for (const { calls, answers, end } of rounds(context)) {
      const answered = new Set(answers.map(([, { tool_call_id }]) => tool_call_id));
      const open = calls.filter((id) => !answered.has(id));
      if (open.length === 0) continue;
      if (isDeepSeek(context)) {
        const words = `${insufficient} (insufficient tool messages following tool_calls message)`;
        yield finding(words, null, 'invalid_request_error');
      }
      const words = `${insufficient} The following tool_call_ids did not have response messages: ${open.join(', ')}`;
      yield finding(words, `messages.[${end}].role`);
    }
  },
};

const orphan =
  "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
const deepSeekOrphan = "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";

export const toolOrphan: ChatRule = {
  id: 'tool-orphan',
  *check(context) {
    for (const { calls, answers } of rounds(context)) {
      const seen = new Set<string>();
      for (const [index, { tool_call_id }] of answers) {
        const id = text(tool_call_id) ?? '';
        if (!calls.includes(id) && isDeepSeek(context)) yield finding(deepSeekOrphan, null, 'invalid_request_error');
        if (calls.length === 0) yield finding(orphan, `messages.[${index}].role`);
        const param = `messages.[${index}].tool_call_id`;
        const words = `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`;
        if (!calls.includes(id)) yield finding(words, param);
        // A second answer to one call is wrong, but no refusal of it was seen.
        if (seen.has(id)) yield unsure(finding(words, param));
        seen.add(id);
      }
    }
  },
};
