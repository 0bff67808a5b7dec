import { googleGenerateContentRules, type Memory } from '@skein/emulator';
import { google } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const user = (...parts: string[]) => `{"role":"user","parts":[${parts.join(',')}]}`;
const model = (...parts: string[]) => `{"role":"model","parts":[${parts.join(',')}]}`;
const text = (value: string) => `{"text":"${value}"}`;
const call = (id: string, more = '') => `{"functionCall":{"id":"${id}","name":"f","args":{}}${more}}`;
const signed = ',"thoughtSignature":"QUFB"';
const result = (id: string, name = 'f') =>
  `{"functionResponse":{"id":"${id}","name":"${name}","response":{"output":"ok"}}}`;

const hello = user(text('hello'));
const hi = model(text('hi'));
const stranger: Memory = { issued: () => undefined, stored: () => false, ownField: () => false };

const table: Table = {
  json: 'every text was checked to be JSON when it was read',
  auth: 'headers are not part of a request body',
  'unknown-field': { history: [hello, model('{"text":"hi","index":0}'), hello], origin: GATEWAY },
  'system-type': 'the system text is written as a content, whatever it was read from',
  struct: { history: [hello, model('{"functionCall":{"name":"f","args":"{\\"q\\": "}}'), user(text('go on'))] },
  'sig-base64': {
    history: [hello, model(call('a', ',"thoughtSignature":"not base64!"')), user(result('a'))],
    origin: GATEWAY,
  },
  'oneof-many': {
    history: [hello, model('{"text":"hi","functionCall":{"id":"a","name":"f","args":{}}}'), user(result('a'))],
    origin: GATEWAY,
  },
  type: { history: [hello, model('{"text":5}', text('hi')), hello], origin: GATEWAY },
  'no-contents': { history: ['{"role":"model"}'], careless: [] },
  role: { history: [hello, '{"role":"assistant","parts":[{"text":"hi"}]}', hello], origin: GATEWAY },
  'role-function': {
    history: [hello, model(call('a', signed)), `{"role":"function","parts":[${result('a')}]}`],
    origin: GATEWAY,
  },
  'parts-empty': { history: [hello, '{"role":"model"}', hello] },
  'oneof-none': { history: [hello, model(text('hi'), '{"thoughtSignature":"QUFB"}'), hello] },
  'name-empty': {
    history: [hello, model(call('a', signed)), user('{"functionResponse":{"id":"a","response":{"output":"ok"}}}')],
  },
  'call-first': { history: [model(call('a', signed)), user(result('a'))] },
  'response-orphan': { history: [hello, hi, user(result('gone'))] },
  count: { history: [hello, model(call('a', signed), call('b')), user(result('a')), hello] },
  'name-mismatch': { history: [hello, model(call('a', signed)), user(result('a', 'g'))], origin: GATEWAY },
  'response-order': {
    model: 'gemini-2.5-flash',
    history: [
      hello,
      model('{"functionCall":{"name":"f","args":{}}}', '{"functionCall":{"name":"g","args":{}}}'),
      user(...['g', 'f'].map((name) => `{"functionResponse":{"name":"${name}","response":{"output":"${name}"}}}`)),
    ],
  },
  'id-mismatch': { history: [hello, model(call('a', signed)), user(result('b'))] },
  'sig-empty': { history: [hello, model(call('a', ',"thoughtSignature":""')), user(result('a'))] },
  'sig-missing': { history: [hello, model(call('a')), user(result('a'))], origin: { model: 'gemini-2.5-flash' } },
  'sig-corrupt': {
    history: [hello, model(call('a', signed)), user(result('a'))],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'sig-moved': {
    history: [hello, model(`{"functionCall":{"id":"a","name":"g","args":{}}${signed}}`), user(result('a', 'g'))],
    origin: GATEWAY,
    judged: { memory: { ...stranger, issued: () => ({ model: 'gemini-3-pro', text: 'f' }) } },
  },
  'model-tail': { history: [hello, hi], model: 'gemini-3.6-pro' },
};

testTable(google, googleGenerateContentRules, table);
