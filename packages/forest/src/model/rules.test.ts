import { readFileSync } from 'node:fs';
import { anthropicMessages, assistant, openaiChat, toolResult, user } from '@skein/core';
import { describe, expect, test } from 'vitest';
import { createClock, isConclusion, stampOfConclusion } from './clock.ts';
import { ECHO_START, extendEcho } from './echo.ts';
import { nodeId, ROOT, sha256 } from './ids.ts';

const chat = (value: unknown) => openaiChat.parseMessage(JSON.stringify(value));
const claude = (value: unknown) => anthropicMessages.parseMessage(JSON.stringify(value));
const echoOf = (...messages: Parameters<typeof extendEcho>[1][]) => messages.reduce(extendEcho, ECHO_START).text;

describe('ids and echoes outlive code: the vectors in docs/forest-rules.md', () => {
  const page = readFileSync(new URL('../../../../docs/forest-rules.md', import.meta.url), 'utf8');
  const vectors = [...page.matchAll(/```json vector\n([\s\S]*?)```/g)].map(([, text]) => JSON.parse(text!));

  test.each(vectors.map((vector) => [vector.name as string, vector]))('%s', (_, { messages, ids, echoes }) => {
    let parent = ROOT;
    let echo = ECHO_START;
    for (const [index, { dialect, raw }] of messages.entries()) {
      const reader = dialect === 'openai-chat' ? openaiChat : anthropicMessages;
      parent = nodeId(parent, dialect, sha256(raw));
      echo = extendEcho(echo, reader.parseMessage(raw));
      expect([parent, echo.text]).toEqual([ids[index], echoes[index]]);
    }
  });

  test('there are some', () => expect(vectors.length).toBeGreaterThan(1));
});

test('an echo is of the JSON text of what was said, whatever characters that has', () => {
  const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
  const short = [ascii, 'plain', '"', 'a\\', '東京 🙂', 'half \ud83d', '\u2028'];
  for (const text of short.flatMap((one) => [one, one.repeat(9000)])) {
    const unit = `${ECHO_START.text}\n${JSON.stringify(['user', text])}`;
    expect(echoOf(user(text))).toBe(`1:${sha256(unit).slice(0, 32)}`);
  }
});

describe('an echo recognises what a stateless client sends back', () => {
  const call = { id: 'x1', type: 'function', function: { name: 'f', arguments: '{"b":1, "a":2.0}' } };
  const asked = chat({ role: 'user', content: 'Go' });

  test('arguments that were serialised again', () => {
    const again = { id: 'x1', type: 'function', function: { name: 'f', arguments: '{"a":2,"b":1}' } };
    expect(echoOf(asked, chat({ role: 'assistant', content: null, tool_calls: [call] }))).toBe(
      echoOf(asked, chat({ role: 'assistant', content: '', tool_calls: [again] })),
    );
  });

  test('reasoning that was dropped, and outer whitespace of the answer', () => {
    const full = {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'text', text: 'Yes\n' },
      ],
    };
    expect(echoOf(asked, claude(full))).toBe(echoOf(asked, chat({ role: 'assistant', content: 'Yes' })));
  });

  test('tool results gathered in one message, or kept apart, under other ids', () => {
    const calls = [call, { ...call, id: 'x2' }];
    const made = chat({ role: 'assistant', content: null, tool_calls: calls });
    const apart = [
      chat({ role: 'tool', tool_call_id: 'x1', content: 'one' }),
      chat({ role: 'tool', tool_call_id: 'x2', content: 'two' }),
    ];
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { a: 2, b: 1 } });
    const result = (id: string, text: string) => ({ type: 'tool_result', tool_use_id: id, content: text });
    const gathered = [
      claude({ role: 'assistant', content: [use('t1'), use('t2')] }),
      claude({ role: 'user', content: [result('t1', 'one'), result('t2', 'two')] }),
    ];
    expect(echoOf(asked, made, ...apart)).toBe(echoOf(asked, ...gathered));
  });

  test('not what a person changed: outer whitespace of a question counts', () => {
    expect(echoOf(user('Go'))).not.toBe(echoOf(user('Go ')));
    expect(echoOf(user('Go'), assistant('A'))).not.toBe(echoOf(user('Go'), assistant('B')));
    expect(echoOf(user('Go'), toolResult('x', '1'))).not.toBe(echoOf(user('Go'), toolResult('x', '2')));
  });

  test('leading system messages leave no trace, later ones do', () => {
    const rule = chat({ role: 'system', content: 'Be brief' });
    expect(echoOf(rule, asked)).toBe(echoOf(asked));
    expect(echoOf(asked, rule)).not.toBe(echoOf(asked));
  });
});

test('the echo of a long text that is full of escapes is not made of millions of pieces', () => {
  const text = '"\n'.repeat(5_000_000);
  const before = process.resourceUsage().maxRSS;
  const long = extendEcho(ECHO_START, user(text));
  const costMb = (process.resourceUsage().maxRSS - before) / 1024;
  expect(long.text).not.toBe(ECHO_START.text);
  expect(costMb).toBeLessThan(300);
});

describe('the clock', () => {
  test('never goes back when the machine does', () => {
    const times = [5000, 3000, 3000, 5001];
    const clock = createClock('w', () => times.shift()!);
    const stamps = [clock.tick(), clock.tick(), clock.tick(), clock.tick()];
    expect([...stamps].sort()).toEqual(stamps);
    expect(new Set(stamps).size).toBe(4);
  });

  test('goes past what it has seen, but does not follow a clock that is days ahead', () => {
    const clock = createClock('a', () => 1_000_000);
    const other = createClock('b', () => 1_005_000).tick();
    clock.see(other);
    expect(clock.tick() > other).toBe(true);
    const broken = createClock('c', () => 1e12).tick();
    clock.see(broken);
    expect(clock.tick() < broken).toBe(true);
  });

  test('puts what others conclude about a record in front of all that its writer says later, however fast', () => {
    const clock = createClock('w', () => 1_000_000);
    const [stamp, next] = [clock.tick(), clock.tick()];
    const concluded = stampOfConclusion(stamp);
    expect([stamp, concluded, next].toSorted()).toEqual([stamp, concluded, next]);
    expect([stamp, concluded, next].map(isConclusion)).toEqual([false, true, false]);
    const follower = createClock('a', () => 0);
    follower.see(concluded);
    expect(follower.tick() > concluded).toBe(true);
  });
});
