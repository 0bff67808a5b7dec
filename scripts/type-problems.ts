import { join } from 'node:path';
import ts from 'typescript';

/**
 * The compiler's errors in a project and in our own declarations that it uses, as for users without `skipLibCheck`.
 * Errors in declarations of others are ignored: we cannot fix them.
 */
export function typeProblems(folder: string): { readonly checked: readonly string[]; readonly problems: string[] } {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, folder);
  const program = ts.createProgram(fileNames, options);
  const files = program
    .getSourceFiles()
    .filter(
      ({ fileName }) => !fileName.includes('/node_modules/') || /\/node_modules\/(?:@skein\/|skein\/)/.test(fileName),
    );
  const found = [
    ...program.getOptionsDiagnostics(),
    ...files.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  return { checked: files.map(({ fileName }) => fileName), problems: found.map(inWords) };
}

function inWords({ file, start = 0, messageText }: ts.Diagnostic): string {
  const text = ts.flattenDiagnosticMessageText(messageText, '\n');
  return file ? `${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}` : text;
}
