/**
 * Contents and parts as proto messages: field name to type. `X[]` repeats, `struct` is any object, `value` anything,
 * `map` has free keys. Names in camelCase; the JSON mapping takes snake_case as well. From @google/genai 2.32.
 */
export type ProtoMessage = Readonly<Record<string, string>>;

export const contentMessages: Readonly<Record<string, ProtoMessage>> = {
  Content: { parts: 'Part[]', role: 'string' },
  Part: {
    text: 'string',
    inlineData: 'Blob',
    fileData: 'FileData',
    functionCall: 'FunctionCall',
    functionResponse: 'FunctionResponse',
    executableCode: 'ExecutableCode',
    codeExecutionResult: 'CodeExecutionResult',
    toolCall: 'ToolCall',
    toolResponse: 'ToolResponse',
    audioTranscription: 'Transcription',
    thought: 'bool',
    thoughtSignature: 'bytes',
    partMetadata: 'struct',
    videoMetadata: 'VideoMetadata',
    mediaResolution: 'PartMediaResolution',
    mediaProcessing: 'enum',
    speechMetadata: 'SpeechMetadata',
  },
  Blob: { data: 'bytes', mimeType: 'string', displayName: 'string' },
  FileData: { fileUri: 'string', mimeType: 'string', displayName: 'string' },
  FunctionCall: { id: 'string', name: 'string', args: 'struct', partialArgs: 'PartialArg[]', willContinue: 'bool' },
  PartialArg: {
    boolValue: 'bool',
    jsonPath: 'string',
    nullValue: 'enum',
    numberValue: 'number',
    stringValue: 'string',
    willContinue: 'bool',
  },
  FunctionResponse: {
    id: 'string',
    name: 'string',
    response: 'struct',
    parts: 'FunctionResponsePart[]',
    scheduling: 'enum',
    willContinue: 'bool',
  },
  FunctionResponsePart: { inlineData: 'Blob', fileData: 'FileData', mediaProcessing: 'enum' },
  ExecutableCode: { id: 'string', code: 'string', language: 'enum' },
  CodeExecutionResult: { id: 'string', outcome: 'enum', output: 'string' },
  ToolCall: { id: 'string', toolType: 'enum', args: 'struct' },
  ToolResponse: { id: 'string', toolType: 'enum', response: 'struct' },
  Transcription: {
    text: 'string',
    finished: 'bool',
    languageCode: 'string',
    speakerLabel: 'string',
    words: 'WordInfo[]',
    startOffset: 'string',
    endOffset: 'string',
  },
  WordInfo: { word: 'string', startOffset: 'string', endOffset: 'string' },
  VideoMetadata: { startOffset: 'string', endOffset: 'string', fps: 'number' },
  PartMediaResolution: { level: 'enum', numTokens: 'number' },
  SpeechMetadata: { speaker: 'string', style: 'string' },
};

/** The oneof `data` of a Part. */
export const DATA_FIELDS: readonly string[] = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'audioTranscription',
];
