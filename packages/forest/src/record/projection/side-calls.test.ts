import { dialect } from '@skein/core';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../read-exchange.ts';
import { isSideCall, isSummaryCall } from './side-calls.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const system = (content: string) => ({ role: 'system', content });
const AGENT = 'You mend bridges.';
const TOOL = { type: 'function', function: { name: 'look' } };

function turnOf(messages: readonly object[], tools: readonly object[] = []): Turn {
  const read = dialect('openai-chat').readRequest(JSON.stringify({ model: 'm', messages, tools }), {});
  const end = read.messages.findIndex(({ role }) => role !== 'system');
  return { ...read, lead: read.messages.slice(0, end) } as unknown as Turn;
}

const isSide = (...messages: readonly object[]) => isSideCall(turnOf(messages));
const isSideWithTools = (...messages: readonly object[]) => isSideCall(turnOf(messages, [TOOL]));
const isSummary = (...messages: readonly object[]) => isSummaryCall(turnOf(messages));

describe('instructions of a side call', () => {
  const INSTRUCTIONS = [
    'Generate a title for this conversation.',
    'You write an\nadequate\ntitle that fits\nthe chat.',
    'Create a title for the session',
    `Come up with a ${'x'.repeat(78)} title ${'y'.repeat(118)} thread`,
    'You are a title generator. You output only the title.',
    'Analyze if this message indicates a new conversation topic.',
    'It indicate a new conversation topic',
    'You are a specialized Task Routing AI.',
    'Classify the complexity of the request',
    'This agent classifies each\nuser prompt',
    `A classifier of ${'x'.repeat(75)} request`,
    'Summarize this conversation in under 50 words',
    'Summarise this coding conversation in less than 50 words',
    'summarize this conversation in at most 50 words',
  ];

  test.each(INSTRUCTIONS)('are recognised: %s', (text) => {
    expect(isSide(system(text), user('Hi'))).toBe(true);
    expect(isSide(system(AGENT), system(text), user('Hi'))).toBe(true);
    expect(isSide(system(text), user('Hi'), assistant('Hello!'), user('And?'))).toBe(true);
  });

  test.each(INSTRUCTIONS)('are those of an agent if it has tools: %s', (text) => {
    expect(isSideWithTools(system(text), user('Hi'))).toBe(false);
  });

  test.each([
    ...['Generate a title.', 'Regenerate a title for the chat', 'Write a subtitle for the chat'],
    ...[
      'Generate the title of this conversation.',
      'Create a title for this chatty book',
      'Write a title: conversations',
    ],
    ...[`Write a ${'x'.repeat(80)} title for the chat`, `Write a title ${'x'.repeat(120)} of the chat`],
    ...['You are a title generators', 'You are a subtitle generator.', 'It contraindicates a new conversation topic'],
    ...['It indicates a new conversation topical', 'Ask Routing AI', 'a multitask routing AI', 'Task Routing AIs'],
    ...[
      'Declassify the request',
      'classifying a request',
      'classify the requester',
      `classify ${'x'.repeat(80)} request`,
    ],
    ...['Summarize this conversation in undertow', 'Summarize this', 'resummarize this conversation in under 5'],
    AGENT,
  ])('are not those that only sound like it: %s', (text) => {
    expect(isSide(system(text), user('Hi'))).toBe(false);
  });

  test('are looked for at the front of a text', () => {
    const text = 'You are a title generator.';
    expect(isSide(system(`${' '.repeat(3000)}${'x '.repeat(980)}${text}`), user('Hi'))).toBe(true);
    expect(isSide(system(`${'x '.repeat(1000)}${text}`), user('Hi'))).toBe(false);
  });
});

describe('questions of a side call', () => {
  const QUESTIONS = [
    'Generate a title for this conversation',
    'please write a short title for this conversation:',
    'Please generate a concise title for this conversation.',
    'Please write a 5-10 word title for the following conversation',
    'Provide a concise, 5-word-or-less title for it',
    '### Task:\nGenerate tags for the\nchat',
    '### Task:  suggest 3 questions for the conversation',
    `### Task: Analyze ${'x'.repeat(118)} chat`,
    '### task: analyse the chat history',
    'Summarize this conversation in under 50 words',
    'summarise this coding conversation in at most 5',
    'Summarize this conversation in less than 500 words.',
  ];

  test.each(QUESTIONS)('are recognised, unless there are tools or something was said before: %s', (text) => {
    expect(isSide(user(text))).toBe(true);
    expect(isSide(system(AGENT), user(text))).toBe(true);
    expect(isSide(user(text), user('Hi'), user('Ho'))).toBe(true);
    expect(isSideWithTools(user(text))).toBe(false);
    expect(isSide(user(text), user('Hi'), user('Ho'), user('Hu'))).toBe(false);
    expect(isSide(user(text), assistant('Yes'))).toBe(false);
    expect(isSide(user(text), assistant('Yes'), user('And?'))).toBe(false);
  });

  test.each(QUESTIONS)('are not recognised in the middle of a text: %s', (text) => {
    expect(isSide(user(`He said: ${text}`))).toBe(false);
  });

  test.each([
    ...[
      'Generate a title for this conversational agent',
      'Generate title for this conversation',
      'Generate a long title',
    ],
    ...['Please write a 5-10 word titles', 'Provide a concise, 5-word-or-less titles'],
    ...['### Task:generate tags for the chat', '### Task: generated tags for the chat', '### Task: write for the chat'],
    ...['### Task: generate chats', '### Task: generate xchat', `### Task: generate ${'x'.repeat(120)} chat`],
    ...['Summarize this conversation in under five words', 'Summarize this conversation in 50 words'],
    ...['quota?', 'my quota', 'warm up', 'warmups', 'a warmup', 'warm--up'],
  ])('are not those that only sound like it: %s', (text) => {
    expect(isSide(user(text))).toBe(false);
  });

  test.each(['quota', 'Quota', ' warmup\n', 'Warm-Up'])('may be a probe, which sends the tools: %s', (text) => {
    expect(isSide(user(text))).toBe(true);
    expect(isSideWithTools(system(AGENT), user(text))).toBe(true);
    expect(isSideWithTools(user(text), assistant('Ready.'), user('Hi'))).toBe(false);
  });
});

describe('a request for a summary', () => {
  test.each([
    'You are a context summarization assistant.',
    'You are a context summarisation agent. You are given a conversation.',
    'You are a component responsible for distilling chat history into XML.',
  ])('is recognised by its instructions, if there are no tools: %s', (text) => {
    const messages = [system(AGENT), system(text), user('Hi'), assistant('Hello!'), user('Ho')];
    expect(isSummaryCall(turnOf(messages))).toBe(true);
    expect(isSideCall(turnOf(messages))).toBe(true);
    expect(isSummaryCall(turnOf(messages, [TOOL]))).toBe(false);
  });

  test.each([
    'Your context summarization assistants',
    'subcontext summarization agent',
    'distilling chat history intonation',
  ])('is not recognised by other instructions: %s', (text) => {
    expect(isSummary(system(text), user('Hi'))).toBe(false);
  });

  test.each([
    'Your task is to create a detailed summary of the conversation so far.',
    'CRITICAL: TEXT ONLY.\n\nyour task is to create a detailed summary of this conversation',
    'Your task is to create a detailed summary of our conversation.',
    'You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary.',
  ])('is recognised by its last question, also with tools: %s', (text) => {
    const history = [user('Hi'), assistant('Hello!')];
    expect(isSummary(...history, user(text))).toBe(true);
    expect(isSummaryCall(turnOf([...history, user(text)], [TOOL]))).toBe(true);
    expect(isSideCall(turnOf([...history, user(text)], [TOOL]))).toBe(true);
    expect(
      isSummary(
        user([
          { type: 'text', text: 'Hi' },
          { type: 'text', text },
        ]),
      ),
    ).toBe(true);
    expect(isSummary(user(text), assistant('Hello!'), user('Hi'))).toBe(false);
    expect(isSummary(user('Hi'), assistant(text))).toBe(false);
  });

  test.each([
    'Your task is to create a detailed summary of the conversations',
    'Your task is to create a detailed summary of a conversation',
    'Your subtask is to create a summary of the conversation',
    'You are performing a context checkpoint compactions',
  ])('is not recognised by another question: %s', (text) => {
    expect(isSummary(user(text))).toBe(false);
  });

  test('is recognised by the item of OpenAI, at the end', () => {
    const items = (...input: readonly object[]): Turn => {
      const read = dialect('openai-responses').readRequest(JSON.stringify({ model: 'm', input }, undefined, 1), {});
      return { ...read, lead: [] } as unknown as Turn;
    };
    const asked = { type: 'message', role: 'user', content: 'Hi' };
    const trigger = { type: 'compaction_trigger' };
    expect(isSummaryCall(items(asked, trigger))).toBe(true);
    expect(isSummaryCall(items(trigger, asked))).toBe(false);
    expect(isSummaryCall(items(asked, { type: 'compaction', encrypted_content: 'x' }))).toBe(false);
    expect(isSummaryCall(items(asked, { type: 'x', inside: trigger }))).toBe(false);
  });

  test('is no request without a message', () => {
    expect(isSummary()).toBe(false);
    expect(isSide()).toBe(false);
  });
});

describe('an item that asks for a compaction', () => {
  const isItem = (raw: string) =>
    isSummaryCall({ lead: [], tools: [], messages: [{ role: 'other', raw }] } as unknown as Turn);

  test('is recognised by its type, however it is spaced', () => {
    expect(isItem('{"type":"compaction_trigger"}')).toBe(true);
    expect(isItem(' \n{ "type" : "compaction_trigger", "id": "x" }')).toBe(true);
  });

  test('is not one that has another inside, or text before it', () => {
    expect(isItem('{"type":"message","of":{"type":"compaction_trigger"}}')).toBe(false);
    expect(isItem('[{"type":"compaction_trigger"}]')).toBe(false);
  });
});

test('a picture beside a question says nothing of a summary', () => {
  const picture = { type: 'image_url', image_url: { url: 'https://example.com/x.png' } };
  expect(isSummary(user([picture, { type: 'text', text: 'What is it?' }]))).toBe(false);
  const sumUp = 'Your task is to create a detailed summary of the conversation.';
  expect(isSummary(user([picture, { type: 'text', text: sumUp }]))).toBe(true);
});

test('system texts among the messages do not make a question a conversation', () => {
  const question = user('### Task:\n\n  Generate tags for the chat');
  expect(isSide(user('Hi'), system('a'), system('b'), system('c'), system('d'))).toBe(false);
  expect(isSide(question, system('a'), system('b'), system('c'), system('d'))).toBe(true);
});
