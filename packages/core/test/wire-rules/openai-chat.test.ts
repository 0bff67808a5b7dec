import { openAIChatRules } from '@skein/emulator';
import { chat } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const hello = '{"role":"user","content":"hello"}';
const hi = '{"role":"assistant","content":"hi"}';
const call = (id: string, name = 'f', args = '"{}"') =>
  `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":${args}}}`;
const calls = (...list: string[]) => `{"role":"assistant","content":null,"tool_calls":[${list.join(',')}]}`;
const result = (id: string) => `{"role":"tool","tool_call_id":"${id}","content":"ok"}`;
const image = '{"type":"image_url","image_url":{"url":"https://example.com/cat.png"}}';
const audio = '{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}';
const long = 'x'.repeat(83);
const parameter = 'only a parameter of the caller can break it';

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  'unknown-param': 'only "extra" of the caller can add members',
  required: {
    history: [hello, calls('{"id":"a","function":{"name":"f","arguments":"{}"}}'), result('a')],
    origin: GATEWAY,
  },
  'invalid-type': { history: [hello, '{"role":"assistant","content":{"text":"hi"}}', hello], origin: GATEWAY },
  role: { history: ['{"role":"human","content":"hello"}'], origin: GATEWAY },
  'tool-type': 'tools are arguments, and a native tool is the caller to know',
  'unknown-message-param': {
    history: [hello, '{"role":"assistant","content":"hi","reasoning_details":[]}', hello],
    origin: GATEWAY,
  },
  'tools-empty': parameter,
  'tool-name': parameter,
  name: { history: ['{"role":"user","name":"Ann B","content":"hello"}'], origin: GATEWAY },
  'content-empty': { history: [hello, '{"role":"assistant","content":[]}', hello] },
  'part-role': {
    history: [hello, `{"role":"assistant","content":[{"type":"text","text":"look"},${image}]}`, hello],
    origin: GATEWAY,
  },
  'tool-calls-empty': { history: [hello, '{"role":"assistant","content":"hi","tool_calls":[]}', hello] },
  'arguments-type': { history: [hello, calls(call('a', 'f', '{"q":1}')), result('a')], origin: GATEWAY },
  'tool-id-long': { history: [hello, calls(call(long)), result(long)], origin: GATEWAY },
  'call-name': { history: [hello, calls(call('a', 'a.b')), result('a')], origin: GATEWAY },
  'tool-choice-no-tools': parameter,
  'parallel-no-tools': parameter,
  'stream-options': parameter,
  'max-tokens': parameter,
  'web-search': parameter,
  'audio-model': { history: [`{"role":"user","content":[{"type":"text","text":"hear"},${audio}]}`], origin: GATEWAY },
  'content-null': { history: [hello, '{"role":"assistant","content":null}', hello] },
  'tool-unanswered': { history: [hello, calls(call('a'), call('b')), result('b'), hello] },
  'tool-orphan': { history: [hello, hi, result('gone'), hello] },
  'deepseek-reasoning': {
    history: [
      hello,
      `{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[${call('a')}]}`,
      result('a'),
    ],
    careless: [hello, calls(call('a')), result('a')],
    model: 'deepseek-chat',
  },
};

testTable(chat, openAIChatRules, table);
