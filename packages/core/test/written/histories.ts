/** Histories of which each shows one thing that some API takes only in another form, and parts of requests around them. */
import {
  assistant,
  blocks,
  type ContentBlock,
  type MediaSource,
  type Message,
  openaiChat,
  system,
  toolResult,
  user,
  type WriteRequest,
} from '@skein/core';

export type Case = Partial<WriteRequest> & Pick<WriteRequest, 'messages'>;

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const cited = (value: string): ContentBlock => ({
  type: 'text',
  text: value,
  citations: [{ url: 'https://example.com', native: '{"url":"https://example.com"}' }],
});
const media = (mediaType: string, source: MediaSource, name?: string): ContentBlock => ({
  type: 'media',
  mediaType,
  source,
  ...(name !== undefined && { name }),
});
const data = { kind: 'base64', data: 'aW1n' } as const;
const url = (address: string): MediaSource => ({ kind: 'url', url: address });
const file = (id: string): MediaSource => ({ kind: 'file', id });
const call = (id: string, rawParameters = '{"a":1}', name = 'find'): ContentBlock => ({
  type: 'tool-use',
  id,
  name,
  parameters: {},
  rawParameters,
});
const custom = (id: string, rawParameters: string): ContentBlock => ({
  type: 'tool-use',
  id,
  name: 'shell',
  parameters: {},
  rawParameters,
  form: 'custom',
});
const unknown = (native: object): ContentBlock => ({ type: 'unknown', native: JSON.stringify(native) });
/** A call as another provider gave it, which blocks cannot hold. */
const called = (args: string, cut = false): Message =>
  openaiChat.parseMessage(
    JSON.stringify({
      role: 'assistant',
      content: 'I look',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: args } }],
    }),
    { issuer: 'gateway.example', ...(cut && { cut }) },
  );
const thought = (value: string): ContentBlock => ({ type: 'reasoning', text: value, redacted: false });
const refusal = (value: string): ContentBlock => ({ type: 'refusal', text: value });

const asked = (...blocks: ContentBlock[]): Case => ({ messages: [user(blocks)] });
const answered = (...blocks: ContentBlock[]): Case => ({ messages: [user('Hi'), assistant(blocks), user('And?')] });
const returned = (content: string | ContentBlock[], options: { isError?: boolean } = {}): Case => ({
  messages: [user('Hi'), assistant([call('a')]), toolResult('a', content, options)],
});
const result = (id: string, value = `result of ${id}`): Message => toolResult(id, value);
/** In the words of no provider, so that it has several results and texts in one message. */
const mixed = (...content: object[]): Message => blocks.parseMessage(JSON.stringify({ role: 'user', content }));
const resultBlock = (toolCallId: string, value = `result of ${toolCallId}`) => ({
  type: 'tool-result',
  toolCallId,
  isError: false,
  content: [text(value)],
});

const callBlock = (id: string) => ({ type: 'tool-use', id, name: 'find', parameters: { a: 1 } });
/** In the words of no provider, so that it has the results of its own calls. */
const answering = (...content: object[]): string => JSON.stringify({ role: 'assistant', content });

const two = [user('Hi'), assistant([call('a'), call('b')])];

/** What messages say. */
export const CONTENTS: Readonly<Record<string, Case>> = {
  'a question': asked(text('Hi')),
  'two texts': asked(text('Hi'), text('there')),
  'an empty question': { messages: [user('Hi'), assistant('Yes?'), user(''), user('So')] },
  'a blank question': { messages: [user('Hi'), assistant('Yes?'), user(' \n'), user('So')] },
  'an empty text beside another': asked(text(''), text('Hi'), text(' ')),
  'an empty answer': answered(text('')),
  'a blank answer': answered(text(' ')),
  'half a character': {
    system: 'half \ud83d',
    messages: [user('half \ud83d'), assistant([call('a', '{"a":"\\ud83d"}')]), result('a', 'half \ud83d')],
  },
  'an image': asked(text('See'), media('image/png', data)),
  'an image alone': asked(media('image/webp', data)),
  'an image by its address': asked(media('image/jpeg', url('https://example.com/cat.jpg'))),
  'an image of which only the kind is known': asked(media('image/*', url('https://example.com/cat'))),
  'the data of such an image': asked(media('image/*', data)),
  'an image as a data URL': asked(media('image/*', url('data:image/gif;base64,R0lG'))),
  'an image as a data URL with parameters': asked(media('image/*', url('data:image/png;name=a.png;base64,aW1n'))),
  'an image as a data URL that is not base64': asked(media('image/svg+xml', url('data:image/svg+xml,<svg/>'))),
  'an image at Google': asked(media('image/png', url('gs://bucket/cat.png'))),
  'an image in S3': asked(media('image/png', url('s3://bucket/cat.png'))),
  'an uploaded image': asked(media('image/png', file('file-1'))),
  'an uploaded file with an address': asked(media('application/pdf', file('https://files.example.com/1'))),
  'an unusual image': asked(media('image/tiff', data)),
  'a paper': asked(media('application/pdf', data, 'paper.pdf'), text('Read it')),
  'a paper without a name and text': asked(media('application/pdf', data)),
  'a paper with an odd name': asked(
    media('application/pdf', data, `päper  (1)_[2]\n${'x'.repeat(220)}`),
    text('Read it'),
  ),
  'a paper whose name has no usable character': asked(media('application/pdf', data, ''), text('Read it')),
  'a paper with several odd characters in its name': asked(media('application/pdf', data, 'p__q'), text('Read it')),
  'a paper beside an image': asked(media('application/pdf', data, 'paper.pdf'), media('image/png', data)),
  'a paper by its address': asked(media('application/pdf', url('https://example.com/paper.pdf'), 'paper.pdf')),
  'a note': asked(media('text/plain', { kind: 'base64', data: 'YSBub3Rl' }, 'note.txt'), text('Read it')),
  'a note by its address': asked(media('text/plain', url('https://example.com/note.txt'))),
  'a note that is not base64': asked(media('text/plain', { kind: 'base64', data: '%%%' }), text('Read it')),
  'a table': asked(media('text/csv', data, 'table.csv'), text('Read it')),
  'a recording': asked(media('audio/wav', data)),
  'a recording in MP3': asked(media('audio/mpeg', data)),
  'a recording by its address': asked(media('audio/wav', url('https://example.com/a.wav'))),
  'a film': asked(media('video/mp4', data)),
  'an archive': asked(text('Unpack'), media('application/zip', data)),
  'an image of the assistant': answered(text('See'), media('image/png', data)),
  'an answer in two texts': answered(text('One.'), text('Two.')),
  'an answer that was split at its citations': answered(text('It is '), cited('sunny'), text(' today.'), text('Bye.')),
  'a refusal behind a citation': answered(cited('It is sunny.'), refusal('No.')),
  'such an answer with empty citations': answered({ type: 'text', text: 'It is ', citations: [] }, text('sunny.')),
  reasoning: answered(thought('hm'), text('Yes')),
  'reasoning alone': answered(thought('hm')),
  'reasoning before a call': { messages: [user('Hi'), assistant([thought('hm'), call('a')]), result('a')] },
  'a refusal': answered(refusal('No.')),
  'two refusals': answered(refusal('No.'), refusal('Never.')),
  'a refusal beside a text': answered(text('Well.'), refusal('No.')),
  'a refusal before a call': { messages: [user('Hi'), assistant([refusal('No.'), call('a')]), result('a')] },
  'a refusal of the user': asked(refusal('No.')),
  'an empty refusal': answered(refusal(''), text('Well.')),
  'a call': { messages: [user('Hi'), assistant([call('a')]), result('a')] },
  'a text before a call': { messages: [user('Hi'), assistant([text('I look'), call('a')]), result('a')] },
  'a text behind a call': { messages: [user('Hi'), assistant([call('a'), text('I looked')]), result('a')] },
  'a refusal behind a call': { messages: [user('Hi'), assistant([call('a'), refusal('No.')]), result('a')] },
  'text, call, text, call': {
    messages: [user('Hi'), assistant([text('One'), call('a'), text('Two'), call('b')]), result('a'), result('b')],
  },
  'an empty text before a call': { messages: [user('Hi'), assistant([text(''), call('a')]), result('a')] },
  'a blank text before a call': { messages: [user('Hi'), assistant([text(' '), call('a')]), result('a')] },
  'a call without arguments': { messages: [user('Hi'), assistant([call('a', '')]), result('a')] },
  'a call with blank arguments': { messages: [user('Hi'), assistant([call('a', ' \n')]), result('a')] },
  'arguments that are a list': { messages: [user('Hi'), assistant([call('a', '[1]')]), result('a')] },
  'arguments that are a text': { messages: [user('Hi'), assistant([call('a', '"x"')]), result('a')] },
  'arguments that are no JSON': { messages: [user('Hi'), called('{"a":'), result('a')] },
  'arguments that were cut': { messages: [user('Hi'), called('{"a":', true), user('So?')] },
  'arguments with half a character': { messages: [user('Hi'), called('{"a":"half \ud83d"}'), result('a')] },
  'no arguments yet': { messages: [user('Hi'), called('', true), user('So?')] },
  'arguments with their own spacing': {
    messages: [user('Hi'), assistant([call('a', '{ "n" : 12345678901234567890 }')]), result('a')],
  },
  'a custom call': { messages: [user('Hi'), assistant([custom('a', '{"input":"ls -l"}')]), result('a')] },
  'a custom call whose input is no text': {
    messages: [user('Hi'), assistant([custom('a', '{"input":[1]}')]), result('a')],
  },
  'a custom call without an input': { messages: [user('Hi'), assistant([custom('a', '{"x":1}')]), result('a')] },
  'an odd id and an odd name': {
    messages: [
      user('Hi'),
      assistant([
        call('functions.a:0', '{}', 'a.b'),
        call('x'.repeat(90), '{}', 'n'.repeat(140)),
        call('1', '{}', '1st'),
      ]),
      result('functions.a:0'),
      result('x'.repeat(90)),
      result('1'),
    ],
  },
  'calls with the same id': {
    messages: [user('Hi'), assistant([call('a'), call('a', '{"a":2}')]), result('a'), result('a', 'again')],
  },
  'an empty result': returned(''),
  'a blank result': returned(' '),
  'a result without content': returned([]),
  'a failed result': returned('It broke', { isError: true }),
  'a failed result that reads like one': returned('Error: it broke', { isError: true }),
  'a failed result of two texts, one of which reads like one': returned([text('See'), text('Error: it broke')], {
    isError: true,
  }),
  'a failed result without content': returned([], { isError: true }),
  'a blank failed result': returned(' ', { isError: true }),
  'a failed result with an image': returned([media('image/png', data)], { isError: true }),
  'a failed result with text and image': returned([text('It broke'), media('image/png', data)], { isError: true }),
  'a failed result with image and text': returned([media('image/png', data), text('It broke')], { isError: true }),
  'a result of two texts': returned([text('One'), text('Two')]),
  'a result with an image': returned([text('See'), media('image/png', data)]),
  'a result that is an image': returned([media('image/png', data)]),
  'a result with two images': returned([text('See'), media('image/png', data), media('image/webp', data)]),
  'a result with a paper': returned([text('See'), media('application/pdf', data, 'paper.pdf')]),
  'a result with a recording': returned([text('Hear'), media('audio/wav', data)]),
  'a result with an archive': returned([text('Unpack'), media('application/zip', data)]),
  'a result with a refusal': returned([refusal('No.')]),
  'a result with reasoning': returned([thought('hm'), text('Yes')]),
  'a result with what nobody knows': returned([text('Yes'), unknown({ type: 'new' })]),
  'what nobody knows': answered(text('Yes'), unknown({ type: 'new' })),
  'what nobody knows, without a type': answered(text('Yes'), unknown({ executableCode: {} })),
  'what nobody knows, and is no object': answered(text('Yes'), { type: 'unknown', native: '"new"' }),
  'a search on the server': answered(text('Yes'), unknown({ type: 'web_search_call', id: 'ws' })),
  'what nobody knows of the user': asked(text('Hi'), unknown({ type: 'new' })),
  'an image in a system text': { messages: [system([text('Be brief.'), media('image/png', data)]), user('Hi')] },
};

/** In which order messages stand. */
export const ORDERS: Readonly<Record<string, Case>> = {
  'two results': { messages: [...two, result('a'), result('b')] },
  'results in another order': { messages: [...two, result('b'), result('a')] },
  'results in one message, in another order': { messages: [...two, mixed(resultBlock('b'), resultBlock('a'))] },
  'results in one message behind a text': {
    messages: [...two, mixed(text('Here:'), resultBlock('a'), resultBlock('b'))],
  },
  'results in one message around a text': {
    messages: [...two, mixed(resultBlock('a'), text('And:'), resultBlock('b'), text('Done.'))],
  },
  'a text between results': { messages: [...two, result('a'), user('Wait'), result('b')] },
  'a text before the results': { messages: [...two, user('Wait'), result('b'), result('a'), user('Go on')] },
  'a result that never came': { messages: [...two, result('b'), user('Go on')] },
  'no result at the end': { messages: two },
  'no approval': { messages: two, unapproved: ['b'] },
  'no approval for a call with an odd id': { messages: [user('Hi'), assistant([call('a b')])], unapproved: ['a b'] },
  'a result after the next turn': { messages: [...two, result('a'), assistant('Well'), result('b'), user('So?')] },
  'a second result': { messages: [...two, result('a'), result('b'), result('a', 'again'), user('So?')] },
  'a result of no call': { messages: [user('Hi'), assistant('Yes?'), result('gone'), user('So?')] },
  'an image in a result of no call': {
    messages: [
      user('Hi'),
      assistant('Yes?'),
      toolResult('gone', [text('See'), media('image/png', data), unknown({ type: 'new' })]),
      user('So?'),
    ],
  },
  'two results of no call in one message': {
    messages: [user('Hi'), assistant('Yes?'), mixed(resultBlock('gone'), resultBlock('lost')), user('So?')],
  },
  'two results of no call in one message, with odd ids': {
    messages: [user('Hi'), assistant('Yes?'), mixed(resultBlock('not here'), resultBlock('not there')), user('So?')],
  },
  'two second results in one message': {
    messages: [
      ...two,
      result('a'),
      result('b'),
      mixed(resultBlock('b', 'b again'), resultBlock('a', 'a again')),
      user('So?'),
    ],
  },
  'a result before its call': { messages: [user('Hi'), result('a'), assistant([call('a')]), user('So?')] },
  'a result in the answer that calls': {
    messages: [user('Hi'), blocks.parseMessage(answering(callBlock('a'), resultBlock('a'), text('Yes'))), user('So?')],
  },
  'a result with an image in the answer that calls': {
    messages: [
      user('Hi'),
      blocks.parseMessage(
        answering(callBlock('a'), callBlock('b'), resultBlock('b'), {
          ...resultBlock('a'),
          content: [text('See'), media('image/png', data)],
        }),
      ),
      user('So?'),
    ],
  },
  'only a result with an image in an answer': {
    messages: [
      user('Hi'),
      assistant([call('a')]),
      blocks.parseMessage(answering({ ...resultBlock('a'), content: [text('See'), media('image/png', data)] })),
      user('So?'),
    ],
  },
  'only results': { messages: [result('a'), result('b')] },
  'calls in two messages': {
    messages: [user('Hi'), assistant([call('a')]), assistant([call('b')]), result('b'), result('a')],
  },
  'calls in two messages, answered one by one': {
    messages: [user('Hi'), assistant([call('a')]), result('a'), assistant([call('b')]), result('b')],
  },
  'the same call in two messages': {
    messages: [user('Hi'), assistant([call('a')]), assistant([call('a')]), result('a'), result('a', 'again')],
  },
  'an answer behind calls without results': {
    messages: [user('Hi'), assistant([call('a')]), assistant('Well'), user('So?')],
  },
  'a call at the front': { messages: [assistant([call('a')]), result('a'), user('So?')] },
  'an answer and a call at the front': { messages: [assistant('Hello'), assistant([call('a')]), result('a')] },
  'two calls at the front': { messages: [assistant([call('a')]), assistant([call('b')]), result('b')] },
  'an answer at the front': { messages: [assistant('Hello'), user('Hi')] },
  'two questions': { messages: [user('One?'), user('Two?')] },
  'two questions with images': {
    messages: [
      user([text('One?'), media('image/png', data)]),
      user('Two?'),
      assistant('Yes'),
      assistant('No'),
      user('So?'),
    ],
  },
  'two answers': { messages: [user('Hi'), assistant('It'), assistant('is'), user('So?')] },
  'an answer before a call': {
    messages: [user('Hi'), assistant('I look'), assistant([call('a')]), result('a'), user('So?')],
  },
  'two answers with calls': {
    messages: [
      user('Hi'),
      assistant([text('One'), call('a')]),
      assistant([text('Two'), call('b')]),
      result('a'),
      result('b'),
    ],
  },
  'an answer at the end': { messages: [user('Hi'), assistant('It is')] },
  'an answer with space at its end': { messages: [user('Hi'), assistant('It is ')] },
  'an answer with space at its end, behind others': {
    messages: [user('Hi'), assistant('Yes?'), user('So'), assistant('It is ')],
  },
  'an answer that ends in what nobody knows': {
    messages: [user('Hi'), assistant([text('It is'), unknown({ type: 'new' })])],
  },
  'a blank answer at the end': { messages: [user('Hi'), assistant('It is'), assistant(' \n')] },
  'an answer in two texts, the second blank': { messages: [user('Hi'), assistant([text('It is'), text(' ')])] },
  'a reply that is continued': { messages: [user('Hi'), assistant('It is ')], continuesReply: true },
  'a system text at the front': { messages: [system('Be brief.'), user('Hi')] },
  'two system texts at the front': {
    system: 'Be kind.',
    messages: [system('Be brief.'), system('Be quick.'), user('Hi')],
  },
  'a system text as a message': {
    system: system([text('Be kind.'), text('Be brief.'), text(' ')]),
    messages: [user('Hi')],
  },
  'several system texts as messages': { system: [system('Be kind.'), system('')], messages: [user('Hi')] },
  'an empty system text': { system: '', messages: [user('Hi')] },
  'a system text behind a question': { messages: [user('Hi'), system('Be brief.')] },
  'a system text behind an answer': { messages: [user('Hi'), assistant('Yes?'), system('Be brief.'), user('So?')] },
  'a system text between answers': {
    messages: [user('Hi'), assistant('Yes?'), system('Be brief.'), assistant('No'), user('So?')],
  },
  'a system text before an answer': { messages: [user('Hi'), system('Be brief.'), assistant('Yes?'), user('So?')] },
  'system texts between call and result': {
    messages: [
      user('Hi'),
      assistant([call('a')]),
      system('Be brief.'),
      result('a'),
      system('Be kind.'),
      assistant('Well'),
      user('So?'),
    ],
  },
  'two system texts behind a question': { messages: [user('Hi'), system('Be brief.'), system('Be kind.')] },
  'a blank system text behind an answer': { messages: [user('Hi'), assistant('Yes?'), system(' '), user('So?')] },
  'a system text with an image behind an answer': {
    messages: [user('Hi'), assistant('Yes?'), system([text('Be brief.'), media('image/png', data)]), user('So?')],
  },
  'a system text that is only an image': {
    messages: [user('Hi'), assistant('Yes?'), system([media('image/png', data)]), user('So?')],
  },
  'system texts of another provider at the front': {
    messages: [
      openaiChat.parseMessage('{"role":"system","content":"\\u0042e brief."}', { issuer: 'gateway.example' }),
      user('Hi'),
    ],
  },
  'a system text of space and an image': {
    messages: [user('Hi'), assistant('Yes?'), system([text(' '), media('image/png', data)]), user('So?')],
  },
  'only system texts': { messages: [system('Be brief.')] },
  'no message': { system: system('Be brief.'), messages: [] },
  'nothing but an empty answer': { messages: [assistant('')] },
};

const FIND = { name: 'find', description: 'Finds it', parameters: { type: 'object', properties: {} } };
const hi = [user('Hi')];

/** What stands around the messages. */
export const FRAMES: Readonly<Record<string, Case>> = {
  'a tool': { messages: hi, tools: [FIND] },
  'a tool without a description': { messages: hi, tools: [{ name: 'find', parameters: { type: 'object' } }] },
  'a tool whose schema is a text': { messages: hi, tools: [{ name: 'find', parameters: ' { "type" : "object" } ' }] },
  'a tool whose schema has no type': {
    messages: hi,
    tools: [
      { name: 'find', parameters: { properties: {} } },
      { name: 'look', parameters: ' { } ' },
    ],
  },
  'a tool whose schema is true': { messages: hi, tools: [{ name: 'find', parameters: 'true' }] },
  'a tool with an odd name': {
    messages: hi,
    tools: [{ ...FIND, name: 'a.b' }, FIND],
    params: { toolChoice: { name: 'a.b' } },
  },
  'a tool with half a character': { messages: hi, tools: [{ ...FIND, description: 'half \ud83d' }] },
  'tools of providers': {
    messages: hi,
    tools: [
      { dialect: 'anthropic-messages', native: ' {"type":"web_search_20250305","name":"web_search"} ' },
      { dialect: 'openai-responses', native: '{"type":"web_search"}' },
      { dialect: 'openai-chat', native: '{"type":"custom","custom":{"name":"shell"}}' },
      { dialect: 'google-generatecontent', native: '{"googleSearch":{}}' },
      { dialect: 'google-interactions', native: '{"type":"google_search"}' },
      { dialect: 'bedrock-converse', native: '{"systemTool":{"name":"nova_grounding"}}' },
      { dialect: 'blocks', native: '{"name":"own"}' },
      FIND,
    ],
  },
  'images beside the tool that makes them': {
    messages: hi,
    tools: [{ dialect: 'openai-responses', native: '{"type":"image_generation","size":"auto"}' }],
    params: { modalities: ['image'] },
  },
  'calls without tools': {
    messages: [user('Hi'), assistant([call('a'), call('b', '{}', 'a.b')]), result('a'), result('b')],
  },
  'members of the caller': {
    messages: hi,
    tools: [FIND],
    extra: '{"user":"u-1", "big": 12345678901234567890,"metadata":{ "a": 1.0 }}',
    params: { temperature: 0.5 },
  },
  'members of the caller in place of ours': {
    messages: hi,
    extra: {
      model: 'other',
      temperature: 1,
      max_tokens: 5,
      generationConfig: { seed: 1 },
      inferenceConfig: { maxTokens: 5 },
      store: true,
    },
    params: { temperature: 0.5, maxTokens: 10, seed: 7 },
  },
  'tools of the caller': { messages: hi, extra: { tools: [], toolConfig: {} }, params: { toolChoice: 'auto' } },
  'half a character of the caller': { messages: hi, extra: { user: 'half \ud83d' } },
  'markers everywhere': {
    system: 'Be brief.',
    tools: [FIND],
    messages: [user('Hi'), assistant('Yes?'), user('So?')],
    cache: ['tools', 'system', 0, -1],
  },
  'markers on nothing': { messages: [user('Hi'), assistant('')], cache: ['tools', 'system', 1, -9] },
  'a marker on a thought': { messages: [user('Hi'), assistant([call('a')]), result('a')], cache: [1, 2] },
  'a marker on a system text': { messages: [system('Be brief.'), user('Hi')], cache: [0] },
  'markers on messages that become one': {
    messages: [user('One?'), user('Two?'), assistant('Yes'), user('So?')],
    cache: [0, 1],
  },
};

export const PARAMS: readonly NonNullable<WriteRequest['params']>[] = [
  {},
  { maxTokens: 100, temperature: 0.5, topP: 0.25, stop: ['END'], seed: 7, stream: true },
  { stream: false, stop: [], parallelToolCalls: true },
  { toolChoice: 'auto', parallelToolCalls: false },
  { toolChoice: 'none' },
  { toolChoice: 'required', parallelToolCalls: false },
  { toolChoice: { name: 'find' } },
  { reasoning: { effort: 'none' } },
  { reasoning: { effort: 'minimal' } },
  { reasoning: { effort: 'high' }, temperature: 0.5, topP: 0.5 },
  { reasoning: { effort: 'max' }, toolChoice: 'required' },
  { maxTokens: 4000, reasoning: { budget: 2000 }, toolChoice: { name: 'find' } },
  { reasoning: { budget: 2000 } },
  { reasoning: { budget: 0 } },
  { reasoning: { budget: 2000, effort: 'low' }, temperature: 1, topP: 0.95 },
  { modalities: ['text'] },
  { modalities: ['text', 'image'] },
  { modalities: ['text', 'audio'] },
];
