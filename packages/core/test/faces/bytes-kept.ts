/** Judges requests by their bytes alone; shares no code with core. */
import type { LogEntry } from '@skein/emulator';
import { memberTexts, partTexts } from '../corpus/source-json.ts';

const LISTS = ['messages', 'input', 'contents'];
const FRAME = ['system', 'instructions', 'systemInstruction', 'system_instruction', 'tools', 'toolConfig'];

/** What is wrong with a series of requests: a later one does not begin as the one before, or a reply is not in it. */
export function complaints(log: readonly LogEntry[]): string[] {
  return log.slice(1).flatMap((entry, index) => {
    const before = log[index]!;
    const [then, now] = [membersOf(before.body.toString()), membersOf(entry.body.toString())];
    const list = LISTS.find((name) => now.has(name))!;
    const [sent, sends] = [partTexts(then.get(list) ?? '[]'), partTexts(now.get(list)!)];
    const replies = repliesIn(before);
    const next = sends.slice(sent.length, sent.length + replies.length);
    return [
      ...FRAME.filter((name) => then.get(name) !== now.get(name)).map(
        (name) => `request ${index + 1}: ${name} changed`,
      ),
      ...sent.filter((text, at) => text !== sends[at]).map((text) => `request ${index + 1}: changed ${text}`),
      ...replies.filter((text, at) => next[at] !== text).map((text) => `request ${index + 1}: has no ${text}`),
    ];
  });
}

/** The texts of a reply in one piece, as they have to stand in the next request; a stream is not one. */
function repliesIn({ protocol, served }: LogEntry): string[] {
  if (!served) return [];
  const body = membersOf(served.body.toString());
  switch (protocol) {
    case 'anthropic-messages':
      return [`{"role":"assistant","content":${body.get('content')}}`];
    case 'openai-chat':
      return [membersOf(partTexts(body.get('choices')!)[0]!).get('message')!];
    case 'openai-responses':
      return partTexts(body.get('output')!);
    case 'google-interactions':
      return partTexts(body.get('steps')!);
    case 'google-generatecontent':
      return [membersOf(partTexts(body.get('candidates')!)[0]!).get('content')!];
    case 'bedrock-converse':
      return [membersOf(body.get('output')!).get('message')!];
    case 'cohere-chat':
      return [body.get('message')!];
  }
}

function membersOf(text: string): Map<string, string> {
  return new Map(memberTexts(text));
}
