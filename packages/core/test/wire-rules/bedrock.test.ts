import { bedrockConverseRules } from '@skein/emulator';
import { bedrock } from '../matrix/apis.ts';
import { type Case, GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const user = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;
const assistant = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
const text = (said: string) => `{"text":"${said}"}`;
const call = (id: string, name = 'lookup', input = '{}') =>
  `{"toolUse":{"toolUseId":"${id}","name":"${name}","input":${input}}}`;
const result = (id: string, more = '"content":[{"text":"ok"}]') => `{"toolResult":{"toolUseId":"${id}",${more}}}`;
const document = (name: string) => `{"document":{"name":"${name}","format":"txt","source":{"bytes":"aGk="}}}`;

const hello = user(text('hello'));
const hi = assistant(text('hi'));
const parameter = 'only a parameter of the caller can break it';

/** A history with calls, in requests that offer the tool. */
const withTools = (history: readonly string[], more: Partial<Case> = {}): Case => ({
  history,
  options: { ...bedrock.always },
  carelessMembers: {
    toolConfig: { tools: [{ toolSpec: { name: 'lookup', inputSchema: { json: { type: 'object' } } } }] },
  },
  ...more,
});

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  surrogate: { history: [user(text('half \\ud83d'))] },
  'no-messages': { history: [assistant()], careless: [] },
  type: { history: ['{"role":"human","content":[{"text":"hello"}]}'], origin: GATEWAY },
  'block-kind': { history: [hello, assistant('{"note":1}', text('hi')), hello], origin: GATEWAY },
  'empty-message': { history: [hello, assistant(), hello] },
  'blank-text': { history: [hello, assistant(text(' '), text('hi')), hello] },
  'document-name': { history: [user(text('read'), document('a_b.txt'))], origin: GATEWAY },
  'document-text': { history: [user(document('notes'))], origin: GATEWAY },
  'roles-alternate': { history: [hello, hello] },
  'tool-config': { history: [hello, assistant(call('a')), user(result('a'))] },
  'tool-name': withTools([hello, assistant(call('a', 'a.b')), user(result('a'))], { origin: GATEWAY }),
  'tool-id': withTools([hello, assistant(call('a b')), user(result('a b'))], { origin: GATEWAY }),
  'tool-schema': parameter,
  'tool-input': withTools([hello, assistant(call('a', 'lookup', '"{"')), user(result('a'))], { origin: GATEWAY }),
  'result-empty': withTools([hello, assistant(call('a')), user(result('a', '"status":"error","content":[]'))]),
  'tool-id-unique': withTools([hello, assistant(call('a'), call('a')), user(result('a'))], { origin: GATEWAY }),
  'tool-unanswered': withTools([hello, assistant(call('a'), call('b')), user(result('b'))]),
  'tool-result-orphan': withTools([hello, hi, user(result('gone'))]),
  'cache-unsupported': {
    history: [user(text('hello'), '{"cachePoint":{"type":"default"}}')],
    model: 'meta.llama3-1-70b-instruct-v1:0',
  },
  'model-errors': { history: [hello, hi] },
};

testTable(bedrock, bedrockConverseRules, table);
