import { cohereChatRules } from '@skein/emulator';
import { cohere } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const hello = '{"role":"user","content":"hello"}';
const hi = '{"role":"assistant","content":"hi"}';
const call = (id: string, args = '{}') =>
  `{"id":"${id}","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}`;
const calls = (...list: string[]) => `{"role":"assistant","tool_calls":[${list.join(',')}]}`;
const result = (id: string) => `{"role":"tool","tool_call_id":"${id}","content":"ok"}`;

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  surrogate: { history: ['{"role":"user","content":"half \\ud83d"}'] },
  required: 'the model and the list of messages are always written',
  'unknown-field': 'only "extra" of the caller can add members',
  'no-messages': { history: ['{"role":"assistant","content":""}'], careless: [] },
  role: { history: ['{"role":"human","content":"hello"}'], origin: GATEWAY },
  'part-type': {
    history: [hello, '{"role":"assistant","content":[{"type":"text","text":"hi"},{"type":"note","note":1}]}', hello],
    origin: GATEWAY,
  },
  'empty-content': { history: [hello, '{"role":"assistant","content":""}', hello] },
  'empty-text': {
    history: [hello, '{"role":"assistant","content":[{"type":"text","text":""},{"type":"text","text":"hi"}]}', hello],
  },
  'tool-arguments': { history: [hello, calls(call('a', '{"q": ')), result('a')] },
  'tool-unanswered': { history: [hello, calls(call('a'), call('b')), result('b'), hello] },
  'tool-orphan': { history: [hello, hi, result('gone'), hello] },
  'tool-id-unique': { history: [hello, calls(call('a'), call('a')), result('a'), result('a')], origin: GATEWAY },
  'assistant-last': { history: [hello, hi] },
};

testTable(cohere, cohereChatRules, table);
