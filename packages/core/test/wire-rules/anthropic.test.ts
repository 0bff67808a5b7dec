import { anthropicMessagesRules, type Memory, prefixDigest } from '@skein/emulator';
import { anthropic } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const OLD = 'claude-sonnet-4-5';
const BOUND = 'claude-fable-5-1';
const user = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;
const assistant = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
const system = (text: string) => `{"role":"system","content":"${text}"}`;
const text = (value: string, more = '') => `{"type":"text","text":"${value}"${more}}`;
const call = (id: string, more = '"input":{}') => `{"type":"tool_use","id":"${id}","name":"f",${more}}`;
const result = (id: string) => `{"type":"tool_result","tool_use_id":"${id}","content":"ok"}`;
const search = (id: string) => `{"type":"server_tool_use","id":"${id}","name":"web_search","input":{"query":"q"}}`;
const found = (id: string) =>
  `{"type":"web_search_tool_result","tool_use_id":"${id}","content":[{"type":"web_search_result","encrypted_content":"enc","title":"t","url":"https://example.com"}]}`;
const thinking = (signature: string) => `{"type":"thinking","thinking":"hm","signature":"${signature}"}`;
const image = '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1n"}}';
const cache = (ttl: string) => `,"cache_control":{"type":"ephemeral","ttl":"${ttl}"}`;

const summary = '{"type":"compaction","content":"They met.","encrypted_content":null,"signature":"sig"}';

const hello = user(text('hello'));
const hi = assistant(text('hi'));

/** A provider that never issued anything. */
const stranger: Memory = { issued: () => undefined, stored: () => false, ownField: () => false };
/** A provider that signed `sig` behind the system text "old". */
const signer: Memory = {
  ...stranger,
  issued: (value) => {
    if (value !== 'sig') return undefined;
    const body = { system: 'old', messages: [{ role: 'user', content: 'hello' }] };
    return { model: BOUND, text: 'hm', prefix: prefixDigest(body, 1, 0) };
  },
};

const parameter = 'only a parameter of the caller can break it';

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  surrogate: { history: [user(text('half \\ud83d of it'))] },
  auth: 'headers are not part of a request body',
  'version-header': 'headers are not part of a request body',
  'version-sampling': 'our requests name the version that takes these parameters',
  'version-citations': 'our requests name the version that takes citations in user messages',
  'version-document': 'our requests name the version that takes documents of the assistant',
  'beta-missing': 'headers are not part of a request body',
  'compaction-block-ambiguous': { history: [assistant(summary), hello, assistant(summary), hello] },
  'compaction-block-misplaced': { history: [hello, hi, hello, assistant(summary), hello] },
  'compaction-signature-invalid': 'a summary goes back as it came, to its issuer alone',
  'compaction-content-mismatch': 'a summary goes back as it came',
  'compaction-tool-changes-mismatch': 'a summary goes back as it came',
  'compaction-context-management': parameter,
  'compaction-nothing-to-summarize': parameter,
  'compaction-incomplete-turn': parameter,
  'tool-reference-unresolved': 'only a caller who leaves out tools can break it',
  'tool-name-conflict': 'only a caller who gives other tools can break it',
  required: 'model and messages are arguments, and max_tokens has a default',
  'no-messages': { history: [assistant()], careless: [] },
  'extra-top': 'only "extra" of the caller can add members',
  'extra-message': {
    history: ['{"role":"user","content":[{"type":"text","text":"hello"}],"name":"bob"}'],
    origin: GATEWAY,
  },
  'extra-block': { history: [hello, assistant(text('hi', ',"index":0')), hello], origin: GATEWAY },
  'extra-tool': 'tools are arguments, and members of a native tool are the caller to know',
  type: { history: [hello, '{"role":"function","content":"42"}', hello], origin: GATEWAY },
  'system-role': { history: [hello, system('be brief')], model: OLD },
  'system-placement': { history: [hello, hi, system('be brief')], model: 'claude-opus-4-8' },
  'system-placement-after': { history: [hello, system('be brief'), hello], model: 'claude-opus-4-8' },
  'budget-min': parameter,
  'thinking-enabled-unsupported': parameter,
  'adaptive-unsupported': parameter,
  'thinking-disabled-unsupported': parameter,
  'block-binding-beta': parameter,
  'budget-max': parameter,
  'thinking-temperature': parameter,
  'thinking-top-p': parameter,
  'thinking-forced-tool': parameter,
  'forced-tool-unsupported': parameter,
  effort: parameter,
  'cache-empty': { history: [user(text('hello'), text('', cache('5m')))] },
  'cache-max': { history: [hello, user(...['a', 'b', 'c', 'd', 'e'].map((value) => text(value, cache('5m'))))] },
  'cache-ttl-order': { history: [user(text('a', cache('5m')), text('b', cache('1h')))] },
  'cache-in-tool-result': {
    history: [
      hello,
      assistant(call('a')),
      user(`{"type":"tool_result","tool_use_id":"a","content":[${text('ok', cache('5m'))}]}`),
    ],
  },
  'empty-message': { history: [hello, assistant(), hello] },
  'empty-text': { history: [hello, assistant(text(''), text('hi')), hello] },
  'whitespace-text': { history: ['{"role":"user","content":" \\n"}', hello] },
  prefill: { history: [hello, hi] },
  'trailing-space': { history: [hello, assistant(text('hi '))], model: OLD },
  'block-role': { history: [hello, assistant(text('look'), image), hello], origin: GATEWAY },
  'tool-id': {
    history: [hello, assistant(call('functions.f:0')), user(result('functions.f:0'))],
    origin: GATEWAY,
  },
  'tool-input': {
    history: [hello, assistant(call('a', '"input":"{\\"q\\": "')), user(result('a'))],
  },
  'tool-name': {
    history: [hello, assistant('{"type":"tool_use","id":"a","name":"a.b","input":{}}'), user(result('a'))],
    origin: GATEWAY,
  },
  'tool-schema': 'tools are arguments of the caller',
  'tool-id-unique': {
    history: [hello, assistant(call('a'), call('a')), user(result('a'), result('a'))],
    origin: GATEWAY,
  },
  'tool-result-orphan': { history: [user(result('gone')), hi, hello] },
  'tool-result-dup': { history: [hello, assistant(call('a')), user(result('a'), result('a'))] },
  'tool-unanswered': { history: [hello, assistant(call('a'), call('b')), user(result('a')), hello] },
  'tool-result-not-first': { history: [hello, assistant(call('a')), user(text('here'), result('a'))] },
  'tool-result-not-first-split': { history: [hello, assistant(call('a')), hello, user(result('a'))] },
  'server-tool-id': { history: [hello, assistant(search('ws_1'), found('ws_1'), text('hi')), hello], origin: GATEWAY },
  'server-result-orphan': { history: [hello, assistant(found('srvtoolu_1'), text('hi')), hello] },
  'server-tool-unanswered': { history: [hello, assistant(text('wait'), search('srvtoolu_1')), hello] },
  'server-result-altered': {
    history: [hello, assistant(search('srvtoolu_1'), found('srvtoolu_1'), text('hi')), hello],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'thinking-first': {
    history: [hello, assistant(call('a')), user(result('a'))],
    origin: GATEWAY,
    model: OLD,
    options: { params: { maxTokens: 2048, reasoning: { budget: 1024 } } },
    carelessMembers: { thinking: { type: 'enabled', budget_tokens: 1024 } },
  },
  'thinking-last': { history: [hello, assistant(thinking('sig')), hello] },
  signature: {
    history: [hello, assistant(thinking('sig'), text('hi')), hello],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'thinking-modified': {
    history: [hello, assistant(thinking('sig'), text('hi')), hello],
    careless: [hello, assistant(thinking('other'), thinking('sig'), text('hi')), hello],
    model: 'claude-fable-5',
    judged: { memory: { ...signer, issued: (value) => (value === 'other' ? { model: BOUND } : signer.issued(value)) } },
  },
  'prefix-binding': {
    history: [hello, assistant(thinking('sig'), text('hi')), hello],
    origin: { model: BOUND, prefix: 'the prefix of another request' },
    model: BOUND,
    judged: { memory: signer },
  },
};

testTable(anthropic, anthropicMessagesRules, table);
