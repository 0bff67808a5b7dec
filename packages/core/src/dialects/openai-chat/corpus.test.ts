import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createParser } from 'eventsource-parser';
import { describe, expect, it } from 'vitest';
import { canonical, isObject, parseJson } from '../../json/index.ts';
import type { Origin } from '../../message/index.ts';
import type { RawReply } from '../dialect.ts';
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

function replay(sse: string): RawReply & { cut: boolean } {
  const assembler = openaiChatSpec.assemble();
  const parser = createParser({ onEvent: ({ event, data }) => void assembler.push(event, data) });
  parser.feed(`${sse}\n\n`);
  return assembler.finish();
}

describe.skipIf(turns.length === 0)('recordings of many compatible providers', () => {
  it('reads every unstreamed reply, message and envelope exactly', () => {
    const bodies = turns.flatMap(({ turn }) =>
      turn.response === null ? [] : [turn.responseText ?? JSON.stringify(turn.response)],
    );
    for (const body of bodies) {
      const reply = openaiChatSpec.readReply(body);
      const whole = JSON.parse(body) as { choices: { message: unknown }[] };
      expect(reply.choices.map(({ raw }) => JSON.parse(raw) as unknown)).toEqual(whole.choices.map((c) => c.message));
      for (const { raw, stop } of reply.choices) {
        expect(body).toContain(raw);
        expect(stop.reason).not.toBe('unknown');
        expect(openaiChatSpec.view(raw, origin).role).toBe('assistant');
      }
      expect(reply.usage).toBeDefined();
    }
    console.log(`${bodies.length} unstreamed replies`);
  });

  it('puts every stream together, with nothing unread but errors', () => {
    const streams = turns.filter(({ turn }) => turn.sse !== null);
    for (const { name, turn } of streams) {
      const reply = replay(turn.sse!);
      for (const { raw } of reply.choices) expect(openaiChatSpec.view(raw, origin).role, name).toBe('assistant');
      const failed = turn.sse!.includes('event: error');
      expect(reply.envelope.includes('unread_events'), name).toBe(failed);
      expect(reply.cut, name).toBe(failed);
    }
    console.log(`${streams.length} streams`);
  });

  it('reads every request, and every member is somewhere', () => {
    const bodies = turns.flatMap(({ turn }) => (isObject(turn.request) ? [JSON.stringify(turn.request)] : []));
    for (const body of bodies) {
      const request = openaiChatSpec.readRequest(body);
      const value = parseJson(body) as { messages: unknown[] };
      expect(request.messages.map((raw) => canonical(raw))).toEqual(
        value.messages.map((message) => canonical(JSON.stringify(message))),
      );
      for (const raw of request.messages) expect(openaiChatSpec.view(raw, origin).role).not.toBe('other');
    }
    console.log(`${bodies.length} requests`);
  });
});
