import type { Message } from '../../message/index.ts';
import { leadingSystem } from '../../run/compaction/checkpoint.ts';
import { type RunResult, run } from '../../run/index.ts';
import { MessageList } from '../message-list.ts';
import { withoutFrame } from '../without-frame.ts';
import { prefixChanges } from './changes.ts';
import { type Opened, tell } from './open-state.ts';
import { type ChatState, prefixOf, writeState } from './state.ts';
import type { ChatEvent, ChatOptions, ChatResult, ChatRun } from './types.ts';

/** Asks: this call's leading system messages, the stored history, this call's other messages. */
export function startChat(
  { state, partner, ...opened }: Opened,
  given: readonly Message[],
  options: ChatOptions,
): ChatRun {
  const { onMismatch: _, ...runOptions } = options;
  const leading = leadingSystem(given);
  const system = given.slice(0, leading);
  const prefix = prefixOf(system, options.tools);
  const changes = prefixChanges(state.prefix, prefix);
  for (const change of changes) tell(options, change);
  const notices = [...opened.notices, ...changes];
  const history = [...state.list, ...given.slice(leading)];
  const running = run({
    ...runOptions,
    system,
    messages: history,
    previous: state.list.manifest,
    checkpoints: state.list.checkpoints,
  });

  const result = running.result.then((done): ChatResult => {
    const asked = done.steps.length > 0;
    const after: ChatState = {
      with: partner ?? state.with,
      list: listOf([...history, ...done.messages], done),
      seen: asked ? seenBy(history, done) : state.seen,
      prefix: asked ? prefix : state.prefix,
      discarded: undefined,
    };
    return { ...done, notices: [...notices, ...done.notices], state: writeState(after), discarded: opened.discarded };
  });
  // Whoever iterates learns of a failure there.
  result.catch(() => {});

  async function* events(): AsyncGenerator<ChatEvent, void, undefined> {
    for (const notice of notices) yield { type: 'notice', notice };
    for await (const event of running) yield event.type === 'finish' ? { type: 'finish', result: await result } : event;
  }
  return { ...running, result, [Symbol.asyncIterator]: events };
}

function listOf(messages: readonly Message[], { manifest, checkpoints }: RunResult): MessageList {
  const list = new MessageList(messages, withoutFrame(manifest));
  list.checkpoints = checkpoints;
  return list;
}

/** Up to the last reply; the results of tools behind it were not sent yet. */
function seenBy(history: readonly Message[], { messages }: RunResult): number {
  return history.length + messages.findLastIndex(({ role }) => role === 'assistant') + 1;
}
