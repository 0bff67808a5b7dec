/** Histories in an API's own words, as replies were cut, clients wrote them, or other providers of the same protocol did. */
import type { Origin, WriteRequest } from '@skein/core';
import { googleInteractions } from '@skein/core/dialect';

export interface OwnCase extends Partial<Omit<WriteRequest, 'messages'>> {
  /** Raw texts, or those that differ in their origin. */
  readonly history: readonly (string | readonly [raw: string, origin: Partial<Origin>])[];
}

type Cases = Readonly<Record<string, OwnCase>>;

const CUT: Partial<Origin> = { cut: true };
const GATEWAY: Partial<Origin> = { issuer: 'gateway.example' };

function anthropic(): Cases {
  const hi = '{"role":"user","content":"Hi"}';
  const so = '{"role":"user","content":[{"type":"text","text":"So?"}]}';
  const say = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
  const ask = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;
  const text = (value: string, more = '') => `{"type":"text","text":"${value}"${more}}`;
  const thought = (signature = ',"signature":"sig"') => `{"type":"thinking","thinking":"hm"${signature}}`;
  const call = (id: string, input = '{"a":1}') => `{"type":"tool_use","id":"${id}","name":"find","input":${input}}`;
  const result = (id: string, content = '"ok"', more = '') =>
    `{"type":"tool_result","tool_use_id":"${id}","content":${content}${more}}`;
  const search = (id: string) => `{"type":"server_tool_use","id":"${id}","name":"web_search","input":{}}`;
  const found = (id: string) => `{"type":"web_search_tool_result","tool_use_id":"${id}","content":[]}`;
  const marker = ',"cache_control":{"type":"ephemeral"}';
  const document =
    '{"type":"document","source":{"type":"content","content":[{"type":"text","text":""},{"type":"text","text":"a"}]}}';
  const other: Partial<Origin> = { model: 'claude-haiku-4-5' };
  return {
    'no approval for a call with an odd id': { history: [hi, say(call('a b'))], unapproved: ['a b'] },
    'a system message that only sets the effort': {
      history: [hi, '{"role":"system","content":"","output_config":{"effort":"low"}}'],
    },
    'a system message that only sets the effort, behind an answer': {
      history: [hi, say(text('Yes')), '{"role":"system","content":"","output_config":{"effort":"low"}}', so],
    },
    'results in two messages, in order': {
      history: [hi, say(call('a'), call('b')), ask(result('a')), ask(result('b')), so],
    },
    'results in two messages, the second of another provider': {
      history: [hi, say(call('a'), call('b')), ask(result('a')), [ask(result('b')), GATEWAY], so],
    },
    'calls with the same id, answered once': { history: [hi, say(call('a'), call('a')), ask(result('a')), so] },
    'content that is a text, spaced': {
      history: ['{ "content" : "Hi" , "role" : "user" }', '{"role":"assistant","content":"Yes"}', so],
    },
    'content that is blank': { history: [hi, '{"role":"assistant","content":" "}', so] },
    'content that is null': { history: [hi, ['{"role":"assistant","content":null}', GATEWAY], so] },
    'a thought that was cut': { history: [hi, [say(thought('')), CUT], so] },
    'a thought without a signature before a text': { history: [hi, [say(thought(''), text('Yes')), CUT], so] },
    'a thought at the end': { history: [hi, say(text('Yes'), thought()), so] },
    'two thoughts, one of them cut': { history: [hi, [say(thought(), text('Yes'), thought('')), CUT], so] },
    ciphertext: { history: [hi, say('{"type":"redacted_thinking","data":"x"}', text('Yes')), so] },
    'a thought of another model': { history: [hi, [say(thought(), text('Yes')), other], so] },
    'only a thought of another model': { history: [hi, [say(thought()), other], so] },
    'a thought of the same model by another name': {
      history: [hi, [say(thought(), text('Yes')), { model: 'claude-sonnet-4-5-20250929' }], so],
    },
    'a thought for another account': {
      history: [hi, [say(thought(), text('Yes')), { account: 'b' }], so],
      account: 'a',
    },
    'thoughts behind another prefix': {
      history: [hi, [say(thought(), call('a')), { prefix: 'x' }], ask(result('a')), say(thought(), text('Yes')), so],
    },
    'only a thought behind another prefix': { history: [hi, [say(thought()), { prefix: 'x' }], so] },
    'a call that was cut': { history: [hi, [say(text('Yes'), call('a', '"{\\"a\\":"')), CUT], so] },
    'a call whose input never came': {
      history: [hi, [say(text('Yes'), '{"type":"tool_use","id":"a","name":"find"}'), CUT], so],
    },
    'only a call that was cut': { history: [hi, [say(call('a', '""')), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [say(call('a'), call('b', '"{"')), CUT], ask(result('a')), so],
    },
    'calls without ids': {
      history: [
        hi,
        [say('{"type":"tool_use","name":"find","input":{}}', '{"type":"tool_use","name":"find","input":"{"}'), CUT],
        so,
      ],
    },
    'input that is a text': { history: [hi, say(call('a', '"{\\"a\\":1}"')), ask(result('a'))] },
    'input that is a list': { history: [hi, say(call('a', '[1]')), ask(result('a'))] },
    'input that is null': { history: [hi, say(call('a', 'null')), ask(result('a'))] },
    'empty texts': { history: [ask(text(''), text('Hi')), say(text(''), text('Yes'), text('')), so] },
    'only an empty text': { history: [hi, say(text('')), so] },
    markers: {
      history: [ask(text('Hi', marker)), say(text('Yes', marker), text('', marker)), ask(text('So?', marker))],
    },
    'markers inside a result': {
      history: [hi, say(call('a')), ask(result('a', `[${text('ok', marker)},${text('', marker)}]`, marker))],
    },
    'a document': { history: [ask(document, text('Read it'))] },
    'a document of the assistant': { history: [hi, say(text('Yes'), document), so] },
    'only a document of the assistant': { history: [hi, say(document), so] },
    'a paper of the assistant': {
      history: [
        hi,
        say(text('Yes'), '{"type":"document","source":{"type":"url","url":"https://example.com/a.pdf"}}'),
        so,
      ],
    },
    'citations of the assistant beside an empty text': {
      history: [hi, say(text('Yes', ',"citations":[]'), text('')), so],
    },
    'citations of the user beside a document that may be cited': {
      history: [
        ask(
          text('Hi', ',"citations":[]'),
          '{"type":"document","source":{"type":"url","url":"https://example.com/a.pdf"},"citations":{"enabled":true}}',
        ),
      ],
    },
    'citations of the user': { history: [ask('{"type":"text","text":"Hi","citations":[]}')] },
    'a search': { history: [hi, say(search('s'), found('s'), text('Yes')), so] },
    'a search that was cut': { history: [hi, [say(text('Yes'), search('s')), CUT], so] },
    'a search without a result, before another turn': { history: [hi, say(text('Yes'), search('s')), so] },
    'a search behind a thought, without a result': { history: [hi, say(thought(), text('Yes'), search('s')), so] },
    'only a search without a result': { history: [hi, say(search('s')), so] },
    'a search that is answered in the next message': {
      history: [hi, say(text('Yes'), search('s')), say(found('s'), text('Found')), so],
    },
    'a result without its search': { history: [hi, say(found('s'), text('Yes')), so] },
    'a search at the end': { history: [hi, say(text('Yes'), search('s'))] },
    'a call beside a search': {
      history: [hi, say(search('s'), call('a')), ask(result('a')), say(found('s'), text('Yes'))],
    },
    'a tool of another server': {
      history: [
        hi,
        say(
          '{"type":"mcp_tool_use","id":"m","name":"x","server_name":"y","input":{}}',
          '{"type":"mcp_tool_result","tool_use_id":"m","content":[{"type":"text","text":""}]}',
          text('Yes'),
        ),
        so,
      ],
    },
    'results in one message, in another order, around a text': {
      history: [hi, say(call('a'), call('b')), ask(result('b'), text('and'), result('a'))],
    },
    'results in two messages': {
      history: [hi, say(call('a'), call('b')), ask(result('b')), ask(text('and'), result('a'))],
    },
    'a result with other members': {
      history: [hi, say(call('a'), call('b')), `{"role":"user","content":[${result('b')}],"x":1}`, ask(result('a'))],
    },
    'a result of no call, with an image': {
      history: [
        hi,
        say(text('Yes')),
        ask(
          result('gone', '[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aW1n"}}]'),
          text('So?'),
        ),
      ],
    },
    'a summary': { history: [hi, say('{"type":"compaction","content":"They met.","signature":"s"}'), so] },
    'a summary without a signature': {
      history: [hi, say('{"type":"compaction","content":"They met."}', thought(), text('Yes')), so],
    },
    'a system text with a marker': { history: [hi], system: 'Be brief.', cache: ['system'] },
    'an unknown block with a cut call': { history: [hi, [say('{"type":"new","x":1}', call('a', '"{"')), CUT], so] },
    'a member that is refused': { history: [hi, say('{"type":"text","text":"Yes","parsed":{}}'), so] },
    'markers on messages': { history: [hi, say(thought(), text('Yes')), so], cache: [0, 1, -1] },
    'a marker on only a thought and an empty text': {
      history: [hi, '{"role":"assistant","content":[]}', '{"role":"user","content":""}', so],
      cache: [1, 2],
    },
    'answers that end in space': { history: [hi, '{"role":"assistant","content":"It is "}'] },
    'an answer whose last part ends in space': { history: [hi, say(text('It'), text(' is '))] },
    'an answer whose last part is blank': { history: [hi, say(text('It'), text(' '))] },
    'thinking with a budget behind an answer without': {
      history: [hi, say(call('a')), ask(result('a'))],
      params: { reasoning: { budget: 2000 } },
    },
    'thinking with a budget behind an answer with it': {
      history: [hi, say(thought(), call('a')), ask(result('a'))],
      params: { reasoning: { budget: 2000 } },
    },
    'thinking with a budget behind a question': {
      history: [hi, say(text('Yes')), so],
      params: { reasoning: { budget: 2000 } },
    },
    'half a character in results behind a question': {
      history: [hi, say(call('a'), call('b')), so, ask(result('b', '"half \\ud83d"'), result('a'))],
    },
    'a result with spaces behind a question': {
      history: [hi, say(call('a')), so, ` { "role" : "user" , "content" : [ ${result('a')} ] } `],
    },
    'a thought beside an empty text': { history: [hi, say(thought(), text(''), text('Yes')), so] },
    'a thought beside a call that was cut': {
      history: [hi, [say(thought(), text('Yes'), call('a', '"{"')), CUT], so],
    },
    'content that is no list of objects': { history: [hi, `{"role":"user","content":["a",null,${text('')}]}`, so] },
    'the first of two searches without a result': {
      history: [hi, say(search('s'), text('Well'), search('t'), found('t'), text('Yes')), so],
    },
    'a result before its search': { history: [hi, say(found('s'), search('s'), text('Yes')), so] },
    'a search without a result beside a marker': { history: [hi, say(text('Yes', marker), search('s')), so] },
    'a search whose calls are not all answered': {
      history: [
        hi,
        say(search('s'), call('a')),
        ask(result('a')),
        say('{"type":"tool_use","id":"b","name":"find","input":{},"caller":{"tool_id":"s"}}'),
        ask(result('b')),
      ],
    },
    'a search whose id the user repeats': { history: [hi, say(text('Yes'), search('so')), ask(text('so'))] },
    'kinds of tools that nobody knows': {
      history: [
        hi,
        say(
          search('s'),
          found('s'),
          '{"type":"new_server_tool_use","id":"n"}',
          '{"type":"server_tool_use_new","id":"m"}',
          '{"type":"x_tool_result_new","tool_use_id":"k"}',
          'null',
        ),
        so,
      ],
    },
    'a result of a search, said by the user': { history: [ask(found('s'), text('Hi'))] },
    'a summary before a text': {
      history: [hi, say('{"type":"compaction","content":"They met.","signature":"s"}', text('Yes')), so],
    },
    'a summary of the user': {
      history: [hi, say(text('Yes')), ask('{"type":"compaction","content":"They met.","signature":"s"}'), so],
    },
    'a summary behind a system text': {
      history: [
        '{"role":"system","content":"Be brief."}',
        hi,
        say('{"type":"compaction","content":"They met.","signature":"s"}', text('Yes')),
        so,
      ],
    },
    'a summary before a summary': {
      history: [
        hi,
        say('{"type":"compaction","content":"They met.","signature":"s"}'),
        so,
        say('{"type":"compaction","content":"They met again.","signature":"t"}'),
        so,
      ],
    },
    'words about a summary': { history: [hi, say(text('\\"compaction\\"')), say(text('Yes', ',"compaction":1')), so] },
    'a system text at the front': { history: ['{"role":"system","content":"Be brief."}', hi] },
    'system texts at the front': {
      history: [
        '{"role":"system","content":"Be brief."}',
        `{"role":"system","content":[${text('Be kind.', marker)},${text('')}]}`,
        '{"role":"system","content":""}',
        hi,
      ],
      system: 'Be quick.',
    },
    'a marker on system messages that only set the effort': {
      history: [
        hi,
        '{"role":"system","content":"","output_config":{"effort":"low"}}',
        say(text('Yes')),
        so,
        '{"role":"system","content":null,"output_config":{"effort":"low"}}',
      ],
      cache: [1, 4],
    },
    'a version of the caller': { history: [hi], extra: { anthropic_version: 'own', anthropic_beta: ['b'] } },
    'a stream': { history: [hi], params: { stream: true, toolChoice: 'auto' }, extra: { tools: [] } },
    'of another provider': {
      history: [hi, [say(thought(), text('Yes'), call('a b')), GATEWAY], [ask(result('a b')), GATEWAY]],
    },
  };
}

function bedrock(): Cases {
  const ask = (...blocks: string[]) => `{"role":"user","content":[${blocks.join(',')}]}`;
  const say = (...blocks: string[]) => `{"role":"assistant","content":[${blocks.join(',')}]}`;
  const text = (value: string) => `{"text":"${value}"}`;
  const thought = (more = ',"signature":"sig"') => `{"reasoningContent":{"reasoningText":{"text":"hm"${more}}}}`;
  const call = (id: string, input = '{"a":1}') => `{"toolUse":{"toolUseId":"${id}","name":"find","input":${input}}}`;
  const result = (id: string, content = '[{"text":"ok"}]', more = '') =>
    `{"toolResult":{"toolUseId":"${id}","content":${content}${more}}}`;
  const point = '{"cachePoint":{"type":"default"}}';
  const hi = ask(text('Hi'));
  const so = ask(text('So?'));
  return {
    'results in two messages, in order': {
      history: [hi, say(call('a'), call('b')), ask(result('a')), ask(result('b')), so],
    },
    'results in two messages, the second of another provider': {
      history: [hi, say(call('a'), call('b')), ask(result('a')), [ask(result('b')), GATEWAY], so],
    },
    'calls with the same id, answered once': { history: [hi, say(call('a'), call('a')), ask(result('a')), so] },
    'content that is null': { history: [hi, ['{"role":"assistant","content":null}', GATEWAY], so] },
    'a thought that was cut': { history: [hi, [say(thought('')), CUT], so] },
    'a thought without a signature before a text': { history: [hi, say(thought(''), text('Yes')), so] },
    'a thought at the end': { history: [hi, say(text('Yes'), thought()), so] },
    'a thought before a text': { history: [hi, say(thought(), text('Yes')), so] },
    'two thoughts, one of them cut': { history: [hi, [say(thought(), text('Yes'), thought('')), CUT], so] },
    ciphertext: { history: [hi, say('{"reasoningContent":{"redactedContent":"eA=="}}', text('Yes')), so] },
    'a thought of another model': {
      history: [hi, [say(thought(), text('Yes')), { model: 'us.anthropic.claude-haiku-4-5' }], so],
    },
    'thoughts behind another prefix': {
      history: [hi, [say(thought(), call('a')), { prefix: 'x' }], ask(result('a')), say(thought(), text('Yes')), so],
    },
    'answers with thoughts that become one': {
      history: [hi, say(thought(), text('It')), say(thought(), text('is')), so],
    },
    'a call that was cut': { history: [hi, [say(text('Yes'), call('a', '"{"')), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [say(call('a'), call('b', '"{"')), CUT], ask(result('a')), so],
    },
    'calls without ids': {
      history: [
        hi,
        [say('{"toolUse":{"name":"find","input":{}}}', '{"toolUse":{"name":"find","input":"{"}}'), CUT],
        so,
      ],
    },
    'input that is a text': { history: [hi, say(call('a', '"{\\"a\\":1}"')), ask(result('a'))] },
    'input that is a list': { history: [hi, say(call('a', '[1]')), ask(result('a'))] },
    'no input': { history: [hi, say('{"toolUse":{"toolUseId":"a","name":"find"}}'), ask(result('a'))] },
    'blank texts': { history: [ask(text(' '), text('Hi')), say(text(''), text('Yes')), so] },
    'only a blank text': { history: [hi, say(text(' ')), so] },
    'cache points': { history: [ask(text('Hi'), point), say(text('Yes'), point), so] },
    'only a cache point': { history: [hi, say(point), so] },
    'blank texts in results': {
      history: [
        hi,
        say(call('a'), call('b')),
        ask(result('a', '[{"text":" "},{"text":"ok"}]'), result('b', '[{"text":""}]', ',"status":"error"')),
      ],
    },
    'a failed result without a list': {
      history: [hi, say(call('a')), ask('{"toolResult":{"toolUseId":"a","status":"error"}}')],
    },
    'a result without a list': { history: [hi, say(call('a')), ask('{"toolResult":{"toolUseId":"a"}}', text(' '))] },
    'a tool of the server': {
      history: [
        hi,
        say(
          '{"toolUse":{"toolUseId":"s","name":"x","type":"server_tool_use","input":{}}}',
          '{"toolResult":{"toolUseId":"s","type":"x","content":[]}}',
          text('Yes'),
        ),
        so,
      ],
    },
    'results in another order around a text': {
      history: [hi, say(call('a'), call('b')), ask(result('b'), text('and'), result('a'))],
    },
    'an answer that ends in space': { history: [hi, say(text('It is '))] },
    'thinking with a budget behind an answer without': {
      history: [hi, say(call('a')), ask(result('a'))],
      params: { reasoning: { budget: 2000 } },
    },
    'thinking with a budget behind an answer with it': {
      history: [hi, say(thought(), call('a')), ask(result('a'))],
      params: { reasoning: { budget: 2000 } },
    },
    markers: {
      history: [hi, say(text('Yes')), so],
      system: 'Be brief.',
      tools: [{ name: 'find', parameters: {} }],
      cache: ['tools', 'system', -1, 1],
    },
    'a marker on only a thought': { history: [hi, say(text('Yes'), thought()), so], cache: [1] },
    'a marker on a thought without a signature': { history: [hi, say(text('Yes'), thought('')), so], cache: [1] },
    'a question with other members before another': {
      history: [`{"role":"user","content":[${text('Hi')}],"x":1}`, so],
    },
    'answers that become one at the end': { history: [hi, say(text('It')), say(text('is '))] },
    'an answer without content': { history: [hi, '{"role":"assistant","content":null}', so] },
    'system texts': {
      history: [
        `{"role":"system","content":[${text('Be brief.')},${point},${text(' ')}]}`,
        hi,
        say(text('Yes')),
        `{"role":"system","content":[${text('Be kind.')}]}`,
        so,
      ],
      system: 'Be quick.',
    },
    'cache points among the tools': {
      history: [hi],
      tools: [
        { dialect: 'bedrock-converse', native: point },
        { name: 'find', parameters: ' { "a" : 1 } ' },
      ],
    },
    'a tool of the caller': { history: [hi, say(call('a')), ask(result('a'))], extra: { toolConfig: { tools: [] } } },
    'of another provider': {
      history: [hi, [say(thought(), text('Yes'), call('a b')), GATEWAY], [ask(result('a b')), GATEWAY]],
    },
  };
}

function cohere(): Cases {
  const hi = '{"role":"user","content":"Hi"}';
  const so = '{"role":"user","content":"So?"}';
  const say = (members: string) => `{"role":"assistant",${members}}`;
  const call = (id: string, args: string) =>
    `{"id":"${id}","type":"function","function":{"name":"find","arguments":${JSON.stringify(args)}}}`;
  const thought = '{"type":"thinking","thinking":"hm"}';
  const result = (id: string) => `{"role":"tool","tool_call_id":"${id}","content":"ok"}`;
  return {
    'a thought that was cut': { history: [hi, [say(`"content":[${thought}]`), CUT], so] },
    'a thought that was cut behind a text': {
      history: [hi, [say(`"content":[{"type":"text","text":"Yes"},${thought}]`), CUT], so],
    },
    'a thought at the end': { history: [hi, say(`"content":[${thought}]`), so] },
    'a thought before a call': {
      history: [hi, [say(`"content":[${thought}],"tool_calls":[${call('a', '{}')}]`), CUT], result('a')],
    },
    'empty parts': {
      history: [
        hi,
        say('"content":[{"type":"text","text":""},{"type":"thinking","thinking":""},{"type":"text","text":"Yes"}]'),
        so,
      ],
    },
    'only empty parts': { history: [hi, say('"content":[{"type":"text","text":""}]'), so] },
    'a thought at the end behind an empty part': {
      history: [hi, say(`"content":[{"type":"text","text":""},${thought}]`), so],
    },
    'arguments in their own spelling beside some that are no JSON': {
      history: [
        hi,
        say(`"tool_calls":[${call('a', '{"a":')},${call('b', '{}').replace('{}', '\\u007b\\u007d')}]`),
        result('a'),
        result('b'),
      ],
    },
    'a system text in its own spelling': { history: ['{ "role" : "system" , "content" : "Be \\u0062rief." }', hi] },
    'no content': { history: [hi, say('"content":null'), so] },
    'an empty text': { history: [hi, say('"content":""'), so] },
    'a call that was cut': { history: [hi, [say(`"content":"Yes","tool_calls":[${call('a', '{"a":')}]`), CUT], so] },
    'only a call that was cut': { history: [hi, [say(`"tool_calls":[${call('a', '')}]`), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [say(`"tool_calls":[${call('a', '{}')},${call('b', '{"a"')}]`), CUT], result('a'), so],
    },
    'arguments that are no JSON': {
      history: [
        hi,
        say(`"tool_calls":[${call('a', '{"a":')},${call('b', '')},${call('c', '{}')}]`),
        result('a'),
        result('b'),
        result('c'),
      ],
    },
    'an empty result': {
      history: [hi, say(`"tool_calls":[${call('a', '{}')}]`), '{"role":"tool","tool_call_id":"a","content":""}'],
    },
    'system texts': { history: ['{"role":"system","content":"Be brief."}', '{"role":"system","content":""}', hi] },
    'of another provider': {
      history: [
        hi,
        [say(`"content":[${thought},{"type":"text","text":"Yes"}],"tool_calls":[${call('a b', '{}')}]`), GATEWAY],
        [result('a b'), GATEWAY],
      ],
    },
  };
}

function google(): Cases {
  const ask = (...parts: string[]) => `{"role":"user","parts":[${parts.join(',')}]}`;
  const say = (...parts: string[]) => `{"role":"model","parts":[${parts.join(',')}]}`;
  const text = (value: string, more = '') => `{"text":"${value}"${more}}`;
  const signed = ',"thoughtSignature":"sig"';
  const call = (inner: string, more = '') => `{"functionCall":{${inner}}${more}}`;
  const result = (name: string, id = '') => `{"functionResponse":{${id}"name":"${name}","response":{"output":"ok"}}}`;
  const hi = ask(text('Hi'));
  const so = ask(text('So?'));
  const model: Partial<Origin> = { model: 'gemini-3-pro' };
  return {
    'results in two messages, in order': {
      history: [
        hi,
        say(call('"name":"find","args":{}'), call('"name":"look","args":{}')),
        ask(result('find')),
        ask(result('look')),
        so,
      ],
    },
    'results in two messages, the second of another provider': {
      history: [
        hi,
        say(call('"name":"find","args":{}'), call('"name":"look","args":{}')),
        ask(result('find')),
        [ask(result('look')), GATEWAY],
        so,
      ],
    },
    'a signed call': { history: [hi, [say(call('"name":"find","args":{}', signed)), model], ask(result('find'))] },
    'an unsigned call': { history: [hi, [say(call('"name":"find","args":{}')), model], ask(result('find'))] },
    'a call of an older model': {
      history: [
        hi,
        [say(call('"name":"find","args":{}'), call('"name":"look","args":{}')), { model: 'gemini-2.5-flash' }],
        ask(result('find'), result('look')),
      ],
    },
    'a call with an empty signature': {
      history: [hi, [say(call('"name":"find","args":{}', ',"thoughtSignature":""')), model], ask(result('find'))],
    },
    'a signature in the other spelling': {
      history: [
        hi,
        [say('{"function_call":{"name":"find","args":{}},"thought_signature":"sig"}'), model],
        ask(result('find')),
      ],
    },
    'a thought': { history: [hi, say(text('hm', ',"thought":true'), text('Yes', signed)), so] },
    'only a thought': { history: [hi, say(text('hm', ',"thought":true')), so] },
    'an empty part with a signature': { history: [hi, say(text('Yes'), text('', signed)), so] },
    'a part with nothing but a signature': { history: [hi, say(text('Yes'), '{"thoughtSignature":"sig"}'), so] },
    'empty parts': { history: [hi, say(text(''), text('Yes'), '{}'), so] },
    'only an empty part': { history: [hi, say(text('')), so] },
    'a call without a name': { history: [hi, say(text('Yes'), call('"args":{}')), so] },
    'a call in pieces': {
      history: [
        hi,
        [
          say(
            call('"name":"find","partialArgs":[{"jsonPath":"$.a","stringValue":"x"}],"willContinue":true', signed),
            call('"partialArgs":[{"jsonPath":"$.a","stringValue":"y"}],"willContinue":true'),
            call(''),
          ),
          model,
        ],
        ask(result('find')),
      ],
    },
    'a call in pieces that was cut': {
      history: [
        hi,
        [
          say(
            text('Yes'),
            call('"name":"find","willContinue":true', signed),
            call('"partialArgs":[{"jsonPath":"$.a","stringValue":"y","willContinue":true}],"willContinue":true'),
          ),
          { ...model, ...CUT },
        ],
        so,
      ],
    },
    'only a call that was cut': {
      history: [hi, [say(call('"name":"find","willContinue":true')), { ...model, ...CUT }], so],
    },
    'arguments that are no object': {
      history: [
        hi,
        [say(call('"name":"find","args":"x"'), call('"name":"look","args":[1]')), model],
        ask(result('find'), result('look')),
      ],
    },
    'results in another order': {
      history: [
        hi,
        say(call('"id":"a","name":"find","args":{}'), call('"id":"b","name":"look","args":{}')),
        ask(result('look', '"id":"b",'), text('and'), result('find', '"id":"a",')),
      ],
    },
    'results in two messages': {
      history: [
        hi,
        say(call('"id":"a","name":"find","args":{}'), call('"id":"b","name":"look","args":{}')),
        ask(result('look', '"id":"b",')),
        ask(result('find', '"id":"a",')),
      ],
    },
    'results of which one has an id': {
      history: [
        hi,
        say(call('"id":"a","name":"find","args":{}'), call('"name":"look","args":{}')),
        ask(result('find', '"id":"a",'), result('look')),
        so,
      ],
    },
    'an empty part beside a result': {
      history: [hi, say(call('"name":"find","args":{}')), ask(text(''), result('find'))],
    },
    'parts with and without anything in them beside a result': {
      history: [hi, say(call('"name":"find","args":{}')), ask('{}', result('find'), text('', signed)), so],
    },
    'a system message without content': { history: ['{"role":"system"}', hi] },
    'a single part that is no list': {
      history: ['{"role":"user","parts":{"text":"Hi"}}', '{"parts":[{"text":"Yes"}],"role":"model"}', so],
    },
    'a system text': { history: ['{"role":"system","content":{"parts":[{"text":"Be brief."}]}}', hi] },
    'two system texts': {
      history: [
        '{"role":"system","content":{"parts":[{"text":"Be brief."}]}}',
        '{"role":"system","content":"Be kind."}',
        hi,
      ],
      system: 'Be quick.',
    },
    'a system text inside': {
      history: [hi, say(text('Yes')), '{"role":"system","content":{"parts":[{"text":"Be brief."}]}}', so],
    },
    'members in the other spelling': {
      history: [hi],
      system: 'Be brief.',
      extra: { system_instruction: { parts: [] }, generation_config: { seed: 2 } },
      params: { temperature: 0.5 },
    },
    'of another provider': {
      history: [
        hi,
        [say(text('hm', ',"thought":true'), call('"id":"a b","name":"find","args":{}', signed)), GATEWAY],
        [ask(result('find', '"id":"a b",')), GATEWAY],
      ],
    },
  };
}

function interactions(): Cases {
  const input = (value: string) => `{"type":"user_input","content":[{"type":"text","text":"${value}"}]}`;
  const output = (value: string) => `{"type":"model_output","content":[{"type":"text","text":"${value}"}]}`;
  const turn = (...steps: string[]) => `[${steps.join(',')}]`;
  const thought = (more = ',"signature":"sig"') => `{"type":"thought","summary":[{"type":"text","text":"hm"}]${more}}`;
  const call = (id: string, args = '{"a":1}') =>
    `{"type":"function_call","id":"${id}","name":"find","arguments":${args}}`;
  const result = (id: string) => `{"type":"function_result","call_id":"${id}","name":"find","result":"ok"}`;
  const hi = input('Hi');
  const so = input('So?');
  return {
    'a turn': { history: [hi, turn(thought(), output('Yes'), call('a')), result('a')] },
    'a turn with spaces': { history: [hi, ` [ ${output('Yes')} , ${call('a')} ] `, result('a')] },
    'an empty turn': { history: [hi, '[]', so] },
    'a hollow step': { history: [hi, '{"type":"model_output","content":[]}', so] },
    'hollow steps in a turn': {
      history: [hi, turn('{"type":"model_output","content":[]}', output('Yes'), '{"type":"thought"}'), so],
    },
    'only hollow steps in a turn': { history: [hi, turn('{"type":"thought","summary":[]}'), so] },
    'a thought that was cut': { history: [hi, [turn(output('Yes'), thought('')), CUT], so] },
    'an empty signature': { history: [hi, turn(thought(',"signature":""'), output('Yes')), so] },
    'a call that was cut': { history: [hi, [turn(output('Yes'), call('a', '"{"')), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [turn(call('a'), call('b', '"{"')), CUT], result('a'), so],
    },
    'arguments that are no object': {
      history: [
        hi,
        turn(call('a', '"{\\"a\\":"'), call('b', '[1]'), '{"type":"function_call","id":"c","name":"find"}'),
        result('a'),
        result('b'),
        result('c'),
      ],
    },
    'a single call whose arguments are no object': { history: [hi, call('a', '[1]'), result('a')] },
    'a system text': { history: ['{"role":"system","content":"Be brief."}', hi] },
    'two system texts': { history: ['{"role":"system","content":"Be brief."}', hi], system: 'Be quick.' },
    'a system text in its own spelling': { history: ['{ "role" : "system" , "content" : "Be \\u0062rief." }', hi] },
    'two system texts in their own spelling': {
      history: ['{"role":"system","content":"Be \\u0062rief."}', '{"role":"system","content":"Be \\u006bind."}', hi],
    },
    'a system text that is an input': { history: [hi], system: googleInteractions.parseMessage(input('Be brief.')) },
    'calls without ids beside a hollow step': {
      history: [
        hi,
        turn(
          '{"type":"thought"}',
          '{"type":"function_call","name":"find","arguments":{}}',
          '{"type":"function_call","arguments":{}}',
          call('b'),
        ),
        result('b'),
        so,
      ],
    },
    'a call without an id that was cut': {
      history: [
        hi,
        [
          turn(
            call('a'),
            '{"type":"function_call","arguments":{}}',
            '{"type":"function_call","name":"find","arguments":"{"}',
          ),
          CUT,
        ],
        result('a'),
        so,
      ],
    },
    'a format': { history: [hi], extra: { response_format: {} } },
    'a system text inside': { history: [hi, turn(output('Yes')), '{"role":"system","content":"Be brief."}', so] },
    'results behind what the provider stores': { history: [result('a')], extra: { previous_interaction_id: 'i' } },
    'results behind nothing': { history: [result('a')], extra: '{"previous_interaction_id":null}' },
    'an agent': { history: [hi], extra: { agent: 'deep-research', background: true } },
    'a format beside modalities': { history: [hi], extra: { response_format: {} }, params: { modalities: ['text'] } },
    'of another provider': {
      history: [hi, [turn(thought(), output('Yes'), call('a b')), GATEWAY], [result('a b'), GATEWAY]],
    },
  };
}

function chat(): Cases {
  const hi = '{"role":"user","content":"Hi"}';
  const so = '{"role":"user","content":"So?"}';
  const say = (members: string) => `{"role":"assistant",${members}}`;
  const call = (id: string, args = '{"a":1}', name = '"name":"find",') =>
    `{${id && `"id":"${id}",`}"type":"function","function":{${name}"arguments":${JSON.stringify(args)}}}`;
  const custom = (id: string, input = 'ls') =>
    `{"id":"${id}","type":"custom","custom":{"name":"shell","input":"${input}"}}`;
  const calls = (...list: string[]) => `"content":null,"tool_calls":[${list.join(',')}]`;
  const result = (id: string, content = '"ok"') => `{"role":"tool","tool_call_id":"${id}","content":${content}}`;
  const marker = ',"cache_control":{"type":"ephemeral"}';
  const details = (format = 'anthropic-claude-v1') =>
    `"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"sig","format":"${format}","index":0}]`;
  const router: Partial<Origin> = { upstream: 'Google AI Studio' };
  return {
    'a call that was cut before a complete one': {
      history: [hi, [say(calls(call('a', ''), call('b'))), CUT], result('a'), result('b')],
    },
    'a function call of old beside an empty list': {
      history: [
        hi,
        say('"content":null,"function_call":{"name":"find","arguments":"{}"},"tool_calls":[]'),
        '{"role":"function","name":"find","content":"ok"}',
      ],
    },
    'calls with the same id, answered once': { history: [hi, say(calls(call('a'), call('a'))), result('a'), so] },
    'a call that was cut': { history: [hi, [say(`"content":"Yes","tool_calls":[${call('a', '{"a":')}]`), CUT], so] },
    'only a call that was cut': { history: [hi, [say(calls(call('a', ''))), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [say(calls(call('a'), call('b', '{'))), CUT], result('a'), so],
    },
    'a custom call that was cut': { history: [hi, [say(`"content":"Yes","tool_calls":[${custom('a')}]`), CUT], so] },
    'a call without a name': { history: [hi, say(`"content":"Yes","tool_calls":[${call('a', '{}', '')}]`), so] },
    'a call without an id': { history: [hi, say(calls(call(''))), '{"role":"tool","content":"ok"}', so] },
    'a function call of old': {
      history: [
        hi,
        say('"content":null,"function_call":{"name":"find","arguments":"{"}'),
        '{"role":"function","name":"find","content":"ok"}',
        so,
      ],
    },
    'arguments that are no JSON': {
      history: [hi, say(calls(call('a', '{"a":'), call('b', '[1]'))), result('a'), result('b')],
    },
    'an empty list of calls': { history: [hi, say('"content":"Yes","tool_calls":[]'), so] },
    'nothing but an empty list of calls': { history: [hi, say('"content":null,"tool_calls":[]'), so] },
    markers: {
      history: [
        `{"role":"user","content":[{"type":"text","text":"Hi"${marker}}]${marker}}`,
        say(`"content":"Yes"${marker}`),
        so,
      ],
    },
    reasoning: { history: [hi, say('"content":"Yes","reasoning_content":"hm"'), so] },
    'only reasoning': { history: [hi, say('"content":"","reasoning_content":"hm"'), so] },
    'reasoning beside a call': { history: [hi, say(`"reasoning_content":"hm",${calls(call('a'))}`), result('a')] },
    'details of reasoning': {
      history: [hi, [say(`"content":"Yes",${details()}`), { model: 'anthropic/claude-opus-4.8' }], so],
    },
    'details of reasoning of another model': {
      history: [hi, [say(`"content":"Yes",${details()}`), { model: 'openai/gpt-5' }], so],
    },
    'only details of reasoning of another model': {
      history: [hi, [say(`"content":"",${details()}`), { model: 'openai/gpt-5' }], so],
    },
    'details of reasoning behind a router': {
      history: [hi, [say(`"content":"Yes",${details('google-gemini-v1')}`), router], so],
    },
    'only details of reasoning behind another prefix': {
      history: [hi, [say(`"content":"",${details()}`), { model: 'anthropic/claude-opus-4.8', prefix: 'x' }], so],
    },
    'details of a provider that is not named behind those of one that is': {
      history: [
        hi,
        [say(`"content":"Yes",${details('google-gemini-v1')}`), router],
        so,
        say(`"content":"No",${details('google-gemini-v1')}`),
        so,
        [say(`"content":"Well",${details('google-gemini-v1')}`), { ...GATEWAY, upstream: 'Amazon Bedrock' }],
        so,
        [say('"content":"Bye"'), { upstream: 'Mistral' }],
        so,
      ],
    },
    'details of a provider with an odd name': {
      history: [hi, [say(`"content":"Yes",${details('x')}`), { upstream: 'Z.AI / Beta' }], so],
    },
    'such details where what is asked for is no name': {
      history: [hi, [say(`"content":"Yes",${details('google-gemini-v1')}`), router], so],
      extra: { provider: { order: [null, 1, 'amazon-bedrock'] } },
    },
    'such details where another one is asked for': {
      history: [hi, [say(`"content":"Yes",${details('google-gemini-v1')}`), router], so],
      extra: { provider: { only: ['amazon-bedrock'] } },
    },
    'such details where several are asked for': {
      history: [hi, [say(`"content":"Yes",${details('google-gemini-v1')}`), router], so],
      extra: { provider: { order: ['amazon-bedrock', 'Google AI Studio'] } },
    },
    'details of two providers behind a router': {
      history: [
        hi,
        [say(`"content":"Yes",${details('google-gemini-v1')}`), router],
        so,
        [say(`"content":"Yes",${details('google-gemini-v1')}`), { upstream: 'Amazon Bedrock' }],
        so,
      ],
    },
    'two answers and two questions': {
      history: [
        hi,
        so,
        say('"content":"It"'),
        say('"content":[{"type":"text","text":"is"}]'),
        hi,
        `{"role":"user","content":[{"type":"text","text":"So?"},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}]}`,
      ],
    },
    'an answer before a call': { history: [hi, say('"content":"I look"'), say(calls(call('a'))), result('a')] },
    'a call before an answer': { history: [hi, say(calls(call('a'))), say('"content":"Yes"'), result('a')] },
    'answers with other members': {
      history: [hi, say('"content":"It","audio":{"id":"x"}'), say('"content":"is"'), so],
    },
    'an answer before one with other members': {
      history: [hi, say('"content":"It"'), say('"content":"is","audio":{"id":"x"}'), so],
    },
    'a text with other members before another': {
      history: ['{"role":"user","content":[{"type":"text","text":"Hi","x":1}]}', so],
    },
    'a part that nobody knows before a text': {
      history: ['{"role":"user","content":[{"type":"note","text":"Hi"}]}', so],
    },
    'parts that are no objects before a text': { history: ['{"role":"user","content":["Hi",null]}', so] },
    'system texts': {
      history: [
        '{"role":"system","content":"Be brief."}',
        '{"role":"developer","content":[{"type":"text","text":"Be kind."}]}',
        hi,
      ],
    },
    'a system text inside': { history: [hi, '{"role":"developer","content":"Be brief."}', say('"content":"Yes"'), so] },
    'a role that nobody knows': { history: [hi, '{"role":"critic","content":"Hm"}', so] },
    'of another provider': {
      history: [
        hi,
        [say(`"content":"Yes",${details()},"tool_calls":[${call('a b')},${custom('b')}]`), GATEWAY],
        [result('a b'), GATEWAY],
        [result('b'), GATEWAY],
      ],
    },
  };
}

function responses(): Cases {
  const hi = '{"role":"user","content":"Hi"}';
  const so = '{"role":"user","content":"So?"}';
  const turn = (...items: string[]) => `[${items.join(',')}]`;
  const thought = (id = 'rs', more = ',"encrypted_content":"x"') =>
    `{"type":"reasoning","id":"${id}","summary":[]${more}}`;
  const say = (id: string, value = 'Yes', status = 'completed') =>
    `{"type":"message","id":"${id}","role":"assistant","status":"${status}","content":[{"type":"output_text","text":"${value}","annotations":[]}]}`;
  const call = (id: string, args = '{}', more = '') =>
    `{"type":"function_call","id":"fc_${id}","call_id":"${id}","name":"find","arguments":${JSON.stringify(args)}${more}}`;
  const result = (id: string, type = 'function_call_output') => `{"type":"${type}","call_id":"${id}","output":"ok"}`;
  const search = '{"type":"web_search_call","id":"ws","status":"completed","action":{"type":"search","query":"q"}}';
  const open = ',"status":"in_progress"';
  const account: Partial<Origin> = { account: 'b' };
  const client = (type: string, id: string) =>
    `{"type":"${type}","id":"x_${id}","call_id":"${id}","status":"completed","action":{}}`;
  const computer = (id: string) =>
    `{"type":"computer_call","id":"cu_${id}","call_id":"${id}","status":"completed","action":{"type":"screenshot"},"pending_safety_checks":[]}`;
  const screen = (id: string) =>
    `{"type":"computer_call_output","call_id":"${id}","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,aW1n"}}`;
  return {
    'a turn': { history: [hi, turn(thought(), say('m'), call('a')), result('a')] },
    'a turn with spaces': { history: [hi, ` [ ${say('m')} , ${call('a')} ] `, result('a')] },
    'an empty turn': { history: [hi, '[]', so] },
    'an empty message': { history: [hi, '{"type":"message","id":"m","role":"assistant","content":[]}', so] },
    'a thought that was cut': { history: [hi, [turn(say('m'), thought('rs', open)), CUT], so] },
    'only a thought that was cut': { history: [hi, [turn(thought('rs', open)), CUT], so] },
    'a thought before a message that was cut': {
      history: [hi, [turn(thought(), say('m', 'Ye', 'in_progress')), CUT], so],
    },
    'a thought before an empty message that was cut': {
      history: [hi, [turn(thought(), say('m', '', 'in_progress')), CUT], so],
    },
    'a call that was cut': { history: [hi, [turn(say('m'), call('a', '{"a":', open)), CUT], so] },
    'a call that was cut behind a complete one': {
      history: [hi, [turn(thought(), call('a'), call('b', '{', open)), CUT], result('a'), so],
    },
    'a thought without ciphertext': { history: [hi, turn(thought('rs', ''), say('m'), call('a')), result('a')] },
    'a thought without ciphertext before a search': { history: [hi, turn(thought('rs', ''), search, say('m')), so] },
    'a thought without ciphertext that is stored': {
      history: [hi, turn(thought('rs', ''), say('m')), so],
      extra: { store: true },
    },
    'a thought for another account': {
      history: [hi, [turn(thought(), say('m'), call('a')), account], result('a')],
      account: 'a',
    },
    'a thought of which the account is not known': { history: [hi, turn(thought(), say('m')), so], account: 'a' },
    'a thought for an account that is not known': { history: [hi, [turn(thought(), say('m')), account], so] },
    'only a thought for another account': { history: [hi, [turn(thought()), account], so], account: 'a' },
    'two thoughts in a row': { history: [hi, turn(thought('r1'), thought('r2'), say('m')), so] },
    'a thought at the end': { history: [hi, turn(say('m'), thought()), so] },
    'arguments that are no JSON': {
      history: [hi, turn(call('a', '{"a":'), call('b', '[1]')), result('a'), result('b')],
    },
    'a single call whose arguments are no JSON': { history: [hi, call('a', '{"a":'), result('a')] },
    'a turn twice': { history: [hi, turn(thought(), say('m')), so, turn(thought(), say('m')), so] },
    'a question twice': { history: [hi, turn(say('m')), hi] },
    'a search': { history: [hi, turn(search, say('m')), so] },
    'a custom call': {
      history: [
        hi,
        turn('{"type":"custom_tool_call","id":"c","call_id":"a","name":"shell","input":"ls"}'),
        result('a', 'custom_tool_call_output'),
      ],
    },
    'a shell without a result': {
      history: [
        hi,
        turn(client('shell_call', 'a'), client('local_shell_call', 'b'), client('apply_patch_call', 'c')),
        so,
      ],
    },
    'a shell with a result': {
      history: [hi, turn(client('shell_call', 'a')), '{"type":"shell_call_output","call_id":"a","output":[]}', so],
    },
    'a shell that ran on the server': {
      history: [
        hi,
        turn(client('shell_call', 'a'), '{"type":"shell_call_output","call_id":"a","output":[]}', say('m')),
        so,
      ],
    },
    'a computer with its screen': { history: [hi, turn(thought(), computer('a')), screen('a'), so] },
    'a computer without a screen': { history: [hi, turn(thought(), computer('a')), so] },
    'a computer without a screen beside a message': { history: [hi, turn(thought(), computer('a'), say('m')), so] },
    'a computer beside another without a screen': {
      history: [hi, turn(computer('a'), computer('b')), screen('a'), so],
    },
    'a call that is answered later': {
      history: [hi, turn(call('a', '{}', ',"async":true'), say('m')), so, turn(say('n')), result('a'), so],
    },
    'a call that another provider would answer later': {
      history: [hi, [turn(call('a', '{}', ',"async":true')), GATEWAY], so],
    },
    'calls that are answered now and later': {
      history: [hi, turn(call('a', '{}', ',"async":true'), call('b')), result('b'), so, result('a'), so],
    },
    'a question before the results of calls that are answered now and later': {
      history: [hi, turn(call('a', '{}', ',"async":true'), call('b')), so, result('b'), result('a')],
    },
    'a call behind what the provider stores': {
      history: [result('z'), turn(call('a')), so],
      extra: { previous_response_id: 'r' },
    },
    'a shell beside one that ran on the server': {
      history: [
        hi,
        turn(
          client('shell_call', 'a'),
          client('shell_call', 'b'),
          '{"type":"shell_call_output","call_id":"b","output":[]}',
          'null',
        ),
        so,
      ],
    },
    'a computer without a screen beside arguments that are no JSON': {
      history: [hi, turn(computer('a'), call('b', '[1]')), result('b'), so],
    },
    'a computer without a screen in a turn with spaces': { history: [hi, ` [ ${computer('a')} ] `, so] },
    'a shell without an id': { history: [hi, turn('{"type":"shell_call","id":"x","action":{}}'), so] },
    'a search beside arguments that are no JSON': { history: [hi, turn(search, call('a', '[1]')), result('a')] },
    'a call without an id beside arguments that are no JSON': {
      history: [hi, turn('{"type":"function_call","name":"find","arguments":"{}"}', call('a', '[1]')), result('a')],
    },
    'a thought without ciphertext before kinds that nobody knows': {
      history: [
        hi,
        turn(
          thought('rs', ''),
          '{"type":"new_web_search_call","id":"n"}',
          '{"type":"web_search_call_new","id":"m"}',
          '{"type":"mcp_new","id":"p"}',
          '{"type":"program_new","id":"q"}',
        ),
        so,
      ],
    },
    'a marker in a result': {
      history: [
        hi,
        turn(call('a')),
        '{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"ok","prompt_cache_breakpoint":{"mode":"explicit"}}]}',
      ],
    },
    'a system text in parts at the front': {
      history: ['{"role":"system","content":[{"type":"input_text","text":"Be brief."}]}', hi],
    },
    'a system item at the front': { history: ['{"type":"message","role":"system","content":"Be brief."}', hi] },
    instructions: { history: ['{"role":"system","content":"Be brief."}', hi] },
    'two instructions': { history: ['{"role":"system","content":"Be brief."}', hi], system: 'Be quick.' },
    'a developer text at the front': { history: ['{"type":"message","role":"developer","content":"Be brief."}', hi] },
    'a marker': {
      history: [
        '{"role":"user","content":[{"type":"input_text","text":"Hi","prompt_cache_breakpoint":{"mode":"explicit"}}]}',
        turn(say('m')),
        so,
      ],
    },
    'markers on messages': { history: [hi, turn(thought(), say('m')), so], cache: [0, 1, -1] },
    'results behind what the provider stores': { history: [result('a')], extra: { previous_response_id: 'r' } },
    'results in a conversation of the provider': { history: [result('a')], extra: { conversation: 'c' } },
    'results behind nothing': { history: [result('a')], extra: '{"previous_response_id":null,"conversation":null}' },
    'what else is to be included': { history: [hi], extra: { include: ['a'] } },
    'a prompt with tools': { history: [hi], extra: { prompt: { id: 'p' } }, params: { toolChoice: 'auto' } },
    'a role that nobody knows': { history: [hi, ['{"type":"message","role":"critic","content":"Hm"}', GATEWAY], so] },
    'of another provider': {
      history: [hi, [turn(thought(), say('m'), call('a b')), GATEWAY], [result('a b'), GATEWAY]],
    },
  };
}

function blocks(): Cases {
  const hi = '{ "role" : "user" , "content" : [ {"type":"text","text":"H\\u0069"} ] }';
  return {
    'texts in their own spelling': {
      history: ['{ "role" : "system" , "content" : [ {"type":"text","text":"Be \\u0062rief."} ] }', hi],
    },
  };
}

export const OWN_WORDS: Readonly<Record<string, Cases>> = {
  blocks: blocks(),
  'anthropic-messages': anthropic(),
  'bedrock-converse': bedrock(),
  'cohere-chat': cohere(),
  'google-generatecontent': google(),
  'google-interactions': interactions(),
  'openai-chat': chat(),
  'openai-responses': responses(),
};
