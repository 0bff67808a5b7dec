import { JsonTextError, parseJson } from '@skein/core';
import type { Parsed } from './document.ts';
import { readYaml } from './read-yaml.ts';

export function readJson(text: string): Parsed {
  try {
    parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return {
      line: text.slice(0, error.offset).split('\n').length,
      message: error.message.replace(/^Invalid JSON at offset \d+: /, ''),
    };
  }
  // Every JSON text is YAML, and that parser knows where things stand.
  return readYaml(text);
}
