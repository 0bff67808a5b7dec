import { parse, TomlError } from 'smol-toml';
import type { Parsed } from './document.ts';
import { tomlLines } from './toml-lines.ts';

export function readToml(text: string): Parsed {
  try {
    const value: unknown = parse(text);
    const lines = tomlLines(text);
    return {
      value,
      lineOf: (path) => {
        for (let length = path.length; length > 0; length--) {
          const line = lines.get(JSON.stringify(path.slice(0, length).map(String)));
          if (line !== undefined) return line;
        }
        return 1;
      },
    };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The lines below the first quote the file.
    const [message = ''] = error.message.split('\n');
    return { line: error.line, message: message.replace(/^Invalid TOML document: /, '') };
  }
}
