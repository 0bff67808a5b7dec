import { googleInteractionsRules, type Memory } from '@skein/emulator';
import { interactions } from '../matrix/apis.ts';
import { GATEWAY, type Table } from './case.ts';
import { testTable } from './table.ts';

const user = (...contents: string[]) => `{"type":"user_input","content":[${contents.join(',')}]}`;
const turn = (...steps: string[]) => `[${steps.join(',')}]`;
const text = (said: string) => `{"type":"text","text":"${said}"}`;
const says = (...contents: string[]) => `{"type":"model_output","content":[${contents.join(',')}]}`;
const call = (id: string, more = '"name":"f","arguments":{}') => `{"type":"function_call","id":"${id}",${more}}`;
const result = (id: string, value = '"ok"') => `{"type":"function_result","call_id":"${id}","result":${value}}`;
const thought = (signature: string) => `{"type":"thought","signature":"${signature}"}`;

const hello = user(text('hello'));
const hi = turn(says(text('hi')));
const stranger: Memory = { issued: () => undefined, stored: () => false, ownField: () => false };
const parameter = 'only a parameter of the caller can break it';

const table: Table = {
  json: { history: [user(text('half \\ud83d'))] },
  type: 'every message is a step, and the members beside the input are written from arguments',
  'step-type': { history: [hello, turn('{"type":"note","note":1}', says(text('hi'))), hello], origin: GATEWAY },
  'content-type': { history: [user('{"type":"input_text","text":"hello"}', text('hello'))], origin: GATEWAY },
  'tool-type': 'tools are arguments, and a native tool is the caller to know',
  required: {
    history: [hello, turn(call('a')), '{"type":"function_result","call_id":"a"}'],
    origin: GATEWAY,
  },
  'unknown-field': {
    history: [hello, turn('{"type":"model_output","content":[],"mood":"good"}'), hello],
    origin: GATEWAY,
  },
  'model-or-agent': parameter,
  'input-required': { history: [turn(says())], careless: [] },
  'continuation-token': 'only "extra" of the caller can add the token',
  'background-store': parameter,
  'call-name': { history: [hello, turn(call('a', '"name":"","arguments":{}')), result('a')], origin: GATEWAY },
  arguments: { history: [hello, turn(call('a', '"name":"f","arguments":"{}"')), result('a')], origin: GATEWAY },
  'result-type': { history: [hello, turn(call('a')), result('a', '5')], origin: GATEWAY },
  'media-source': { history: [user(text('look'), '{"type":"image","mime_type":"image/png"}')], origin: GATEWAY },
  'input-empty': { history: [hello, user()] },
  'signature-empty': { history: [hello, turn(thought(''), says(text('hi'))), hello] },
  'signature-corrupt': {
    history: [hello, turn(thought('b3RoZXI='), says(text('hi'))), hello],
    origin: GATEWAY,
    judged: { memory: stranger },
  },
  'previous-not-found': 'only "extra" of the caller can name an interaction',
  'result-orphan': { history: [hello, hi, result('gone')] },
  'result-repeated': { history: [hello, turn(call('a')), result('a'), result('a')] },
  'call-unanswered': { history: [hello, turn(call('a'), call('b')), result('b')] },
  'model-tail': { history: [hello, hi] },
};

testTable(interactions, googleInteractionsRules, table);
