import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { elementTexts, isObject, textAt } from '../../json/index.ts';
import { createMessage, type Origin } from '../../message/index.ts';
import { makeDialect, type RawReply } from '../dialect.ts';
import { writeRequest } from '../write/write-request.ts';
import { openaiChatSpec } from './index.ts';

interface Turn {
  readonly request: unknown;
  readonly response: unknown;
  readonly responseText?: string;
  readonly sse: string | null;
}

const corpus = process.env.SKEIN_CORPUS ?? fileURLToPath(new URL('../../../../../../shared/corpus', import.meta.url));
const folders = ['openai-chat', 'synthetic/openai-chat'].map((name) => `${corpus}/${name}`).filter(existsSync);
const turns = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const recording = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as { turns: Turn[] };
      return recording.turns.map((turn, index) => ({ name: `${file}#${index}`, turn }));
    }),
);
const origin: Origin = { dialect: 'openai-chat', issuer: 'anyone' };

/** What a stream says, by value and without the code under test. */
interface Told {
  text: string;
  thoughts: string;
  calls: Map<number, string>;
  last: Record<string, unknown>;
}

function tell(told: Told, data: string): void {
  if (data === '[DONE]') return;
  const { choices, ...chunk } = JSON.parse(data) as { choices?: { delta: Record<string, unknown> }[] };
  for (const [name, value] of Object.entries(chunk)) {
    if (value !== null && value !== '') told.last[name] = value;
  }
  const delta = choices?.[0]?.delta ?? {};
  if (typeof delta.content === 'string') told.text += delta.content;
  told.thoughts += String(delta.reasoning_content ?? delta.reasoning ?? '');
  for (const call of (delta.tool_calls ?? []) as { index?: number; function: { arguments: string } }[]) {
    const index = call.index ?? 0;
    told.calls.set(index, (told.calls.get(index) ?? '') + call.function.arguments);
  }
}

function replay(sse: string): { reply: RawReply & { cut: boolean }; told: Told } {
  const assembler = openaiChatSpec.assemble();
  const told: Told = { text: '', thoughts: '', calls: new Map(), last: {} };
  const parser = createParser({
    onEvent: ({ event, data }) => {
      assembler.push(event, data);
      if (event !== 'error') tell(told, data);
    },
  });
  parser.feed(`${sse}\n\n`);
  return { reply: assembler.finish(), told };
}

describe.skipIf(turns.length === 0)('recordings of many compatible providers', () => {
  it('reads every unstreamed reply, message and envelope exactly', () => {
    const bodies = turns.flatMap(({ turn }) =>
      turn.response === null ? [] : [turn.responseText ?? JSON.stringify(turn.response)],
    );
    for (const body of bodies) {
      const reply = openaiChatSpec.readReply(body);
      let whole = reply.envelope;
      for (const { raw, stop } of reply.choices) {
        whole = whole.replace(/("message":\s*)null/, (_, key: string) => key + raw);
        expect(stop.reason).not.toBe('unknown');
        expect(openaiChatSpec.view(raw, origin)).toMatchObject({ role: 'assistant' });
      }
      expect(whole).toBe(body);
      expect(reply.usage).toBeDefined();
    }
    console.log(`${bodies.length} unstreamed replies`);
  });

  it('puts every stream together, with nothing unread but errors', () => {
    const streams = turns.filter(({ turn }) => turn.sse !== null);
    for (const { name, turn } of streams) {
      const { reply, told } = replay(turn.sse!);
      const message = createMessage(reply.choices[0]!.raw, origin, openaiChatSpec.view);
      const listed = message.raw.includes('"thinking"');
      if (!listed) expect(message.text, name).toBe(told.text);
      const thoughts = message.content.map((block) => (block.type === 'reasoning' ? block.text : '')).join('');
      if (told.thoughts !== '') expect(thoughts, name).toBe(told.thoughts);
      expect(
        message.toolUses.map((use) => use.rawParameters),
        name,
      ).toEqual([...told.calls.values()]);
      const failed = turn.sse!.includes('event: error');
      const { choices, unread_events: unread, ...envelope } = JSON.parse(reply.envelope) as Record<string, unknown>;
      expect(choices, name).toHaveLength(1);
      expect(envelope, name).toMatchObject(told.last);
      expect(unread !== undefined, name).toBe(failed);
      expect(reply.cut, name).toBe(failed);
      expect(reply.usage !== undefined || failed, name).toBe(true);
    }
    console.log(`${streams.length} streams`);
  });

  it('reads every request and writes its messages back to their issuer byte by byte', () => {
    const dialect = makeDialect(openaiChatSpec);
    const bodies = turns.flatMap(({ turn }) => (isObject(turn.request) ? [JSON.stringify(turn.request)] : []));
    for (const body of bodies) {
      const { model, messages, tools, params, rest } = dialect.readRequest(body);
      for (const message of messages) expect(message.role).not.toBe('other');
      const written = writeRequest(dialect, {
        model: model!,
        messages,
        tools,
        params,
        extra: `{${joinMembers(rest)}}`,
      });
      if (messages.every((message) => message.facts.needs.length === 0)) {
        expect(written.losses.filter((loss) => loss.reason !== 'parameter')).toEqual([]);
        expect(elementTexts(textAt(written.body, ['messages'])!)).toEqual(messages.map((message) => message.raw));
      }
    }
    console.log(`${bodies.length} requests`);
  });
});

function joinMembers(members: Readonly<Record<string, string>>): string {
  return Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',');
}
