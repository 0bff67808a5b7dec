import { describe, expect, it } from 'vitest';
import { dialect, type FunctionTool, type RequestParts, type ToolDefinition } from '../../src/index.ts';
import { FIXTURES } from '../fixtures/index.ts';
import { leavesOf } from './leaves.ts';
import { exchanges, hasCorpus, PROTOCOLS, type Protocol } from './recordings.ts';
import { misplaced, PLACES } from './request-members.ts';
import { memberTexts, parseSource, partTexts } from './source-json.ts';

function requests(protocol: Protocol): readonly { readonly name: string; readonly request: string }[] {
  return [
    ...FIXTURES.filter((fixture) => fixture.dialect.id === protocol).map(({ request }) => ({
      name: 'fixture',
      request,
    })),
    ...exchanges(protocol).flatMap(({ name, request, method }) =>
      request === undefined || method === 'GET' ? [] : [{ name, request }],
    ),
  ];
}

/** What must be true of every request that an API accepted; the names of what is not. */
function problems(protocol: Protocol, request: string, parts: RequestParts): string[] {
  const texts = new Map(memberTexts(request));
  const list = texts.get(PLACES[protocol].messages);
  const tools = texts.get('tools');
  return [
    ...misplaced(protocol, request, parts),
    ...(sameMessages(protocol, list, parts) ? [] : ['the messages are not the exact texts']),
    ...(tools === undefined || sameTools(protocol, tools, parts.tools) ? [] : ['the tools are not complete']),
  ];
}

/** The exact elements, in order; items that a model issued together are one message. */
function sameMessages(protocol: Protocol, list: string | undefined, { messages }: RequestParts): boolean {
  if (list === undefined) return messages.length === 0;
  if (!list.startsWith('[')) {
    const expected = protocol === 'openai-responses' ? `{"role":"user","content":${list}}` : list;
    return messages.length === 1 && messages[0]?.raw === expected;
  }
  const elements = messages.flatMap(({ raw }) => (raw.startsWith('[') ? partTexts(raw) : [raw]));
  const expected = partTexts(list);
  return elements.length === expected.length && elements.every((text, index) => text === expected[index]);
}

/** Every tool is there in its own words, or as a function with its name, description and schema. */
function sameTools(protocol: Protocol, text: string, tools: readonly ToolDefinition[]): boolean {
  const natives = tools.flatMap((tool) => ('native' in tool ? [tool.native] : []));
  const list = text.startsWith('[') ? partTexts(text) : [text];
  const declared = list.flatMap((tool) => (natives.includes(tool) ? [] : declarations(protocol, tool, natives)));
  return declared.every((declaration) => {
    if (natives.some((native) => native.includes(declaration))) return true;
    const members = new Map(memberTexts(declaration));
    const found = tools.find(
      (tool): tool is FunctionTool => 'name' in tool && JSON.stringify(tool.name) === members.get('name'),
    );
    const description = parseSource(members.get('description') ?? '""');
    return found !== undefined && (found.description ?? '') === description && sameSchema(members, found.parameters);
  });
}

/** The exact text; of Google's own schema every word, since its type names are written another way. */
function sameSchema(members: ReadonlyMap<string, string>, parameters: FunctionTool['parameters']): boolean {
  const [, schema] =
    [...members].find(([name]) => /^(parameters|input_schema|parameters_?json_?schema)$/i.test(name)) ?? [];
  if (schema === undefined || schema === parameters) return true;
  const words = JSON.stringify(parameters).toLowerCase();
  return (
    typeof parameters !== 'string' &&
    leavesOf(parseSource(schema)).every((leaf) => words.includes(JSON.stringify(leaf.text).slice(1, -1).toLowerCase()))
  );
}

function declarations(protocol: Protocol, tool: string, natives: readonly string[]): string[] {
  if (['anthropic-messages', 'openai-responses', 'google-interactions'].includes(protocol)) return [tool];
  const members = memberTexts(tool);
  if (protocol === 'openai-chat') return members.filter(([name]) => name === 'function').map(([, text]) => text);
  return members.flatMap(([name, text]) =>
    /^function_?declarations$/i.test(name)
      ? partTexts(text)
      : natives.some((native) => native.includes(text))
        ? []
        : [text],
  );
}

describe.each(PROTOCOLS)('%s', (protocol) => {
  it('every request that was accepted is read, each member into one place', () => {
    const all = requests(protocol);
    const wrong = all.flatMap(({ name, request }) =>
      problems(protocol, request, dialect(protocol).readRequest(request)).map((problem) => `${name}: ${problem}`),
    );
    console.log(`${protocol}: read ${all.length} requests${hasCorpus ? '' : ' (no corpus here, fixtures only)'}`);
    expect(wrong).toEqual([]);
  });
});
