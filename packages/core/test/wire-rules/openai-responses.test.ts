import { type Memory, openAIResponsesRules } from '@skein/emulator';
import { responses } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const hello = '{"role":"user","content":"hello"}';
const says = (id = '"id":"msg_1",', more = '') =>
  `{"type":"message",${id}"role":"assistant","content":[{"type":"output_text","text":"hi","annotations":[]}]${more}}`;
const call = (id: string, more = '"id":"fc_1","name":"f","arguments":"{}"') =>
  `{"type":"function_call","call_id":"${id}",${more}}`;
const result = (id: string, output = '"ok"') => `{"type":"function_call_output","call_id":"${id}","output":${output}}`;
const thinks = (secret = '') => `{"type":"reasoning","id":"rs_1","summary":[]${secret}}`;
const secret = ',"encrypted_content":"secret"';
const long = 'x'.repeat(83);
const parameter = 'only a parameter of the caller can break it';

const stranger: Memory = { issued: () => undefined, stored: () => false, ownField: () => false };
const maker = {
  ...stranger,
  issued: () => ({ model: 'gpt-5.2' }),
  reasoningOf: (id: string) => (id === 'fc_1' ? 'rs_1' : undefined),
};

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  'tool-nested': 'tools are arguments, written flat',
  'unknown-param': 'only "extra" of the caller can add members',
  'invalid-type': { history: [hello, `[${says('"id":5,')}]`, hello], origin: GATEWAY },
  'item-type': { history: [hello, '[{"type":"holodeck_call","id":"hd_1"}]', hello], origin: GATEWAY },
  role: { history: ['{"role":"human","content":"hello"}'], origin: GATEWAY },
  'content-type': {
    history: [hello, '[{"role":"assistant","content":[{"type":"input_text","text":"hi"}]}]', hello],
    origin: GATEWAY,
  },
  'unknown-item-param': {
    history: [hello, `[{"type":"reasoning","id":"rs_1","summary":[],"status":"completed"${secret}},${says()}]`, hello],
    origin: GATEWAY,
  },
  'arguments-type': {
    history: [hello, `[${call('a', '"name":"f","arguments":{"q":1}')}]`, result('a')],
    origin: GATEWAY,
  },
  'output-type': { history: [hello, `[${call('a')}]`, result('a', '{"text":"ok"}')], origin: GATEWAY },
  required: { history: [hello, `[{"type":"reasoning","id":"rs_1"${secret}},${says()}]`, hello], origin: GATEWAY },
  'tool-type': 'tools are arguments, and a native tool is the caller to know',
  'call-name': { history: [hello, `[${call('a', '"name":"a.b","arguments":"{}"')}]`, result('a')], origin: GATEWAY },
  'id-prefix': {
    history: [hello, `[${call('a', '"id":"call_1","name":"f","arguments":"{}"')}]`, result('a')],
    origin: GATEWAY,
  },
  'id-chars': { history: [hello, `[${says('"id":"msg_1-2",')}]`, hello], origin: GATEWAY },
  'id-long': { history: [hello, `[${says(`"id":"msg_${long}",`)}]`, hello], origin: GATEWAY },
  'call-id-long': { history: [hello, `[${call(long)}]`, result(long)], origin: GATEWAY },
  temperature: parameter,
  'prev-and-conversation': parameter,
  'image-source': { history: [hello, `[${call('a')}]`, result('a', '[{"type":"input_image"}]')], origin: GATEWAY },
  'file-mime': {
    history: [
      '{"role":"user","content":[{"type":"input_file","filename":"a.mp3","file_data":"data:audio/mpeg;base64,SUQz"}]}',
      hello,
    ],
    origin: GATEWAY,
  },
  'id-dup': { history: [hello, `[${says()}]`, hello, `[${says()}]`, hello] },
  'previous-not-found': parameter,
  'reference-not-found': {
    history: [hello, '{"type":"item_reference","id":"msg_9"}', hello],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'reasoning-not-persisted': {
    history: [hello, `[${thinks()},${says()}]`, hello],
    extra: { store: false },
  },
  'encrypted-content': {
    history: [hello, `[${thinks(secret)},${says()}]`, hello],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'reasoning-following': { history: [hello, `[${thinks(secret)}]`, hello] },
  'missing-reasoning': {
    history: [hello, `[${thinks(secret)},${call('a')}]`, result('a')],
    careless: [hello, call('a'), result('a')],
    origin: { account: 'mine' },
    options: { account: 'yours' },
    judged: { memory: maker },
  },
  'call-unanswered': { history: [hello, `[${call('a')}]`, hello] },
  'output-orphan': { history: [hello, result('gone'), hello] },
};

testTable(responses, openAIResponsesRules, table);
