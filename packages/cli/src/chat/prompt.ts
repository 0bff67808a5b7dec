import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

/** What the user did at the prompt. */
type PromptInput =
  | { readonly kind: 'text'; readonly text: string }
  /** Ctrl+C at an empty prompt. */
  | { readonly kind: 'interrupt' }
  /** Ctrl+D. */
  | { readonly kind: 'end' };

const MORE = '… ';
const PASTES = { on: '\x1b[?2004h', off: '\x1b[?2004l' };

/** Alone on a line, it begins and ends a message of several lines. */
const BLOCK = '"""';

/** What the Tab key offers for a line: the candidates, and the end of the line that they replace. */
export type Completion = (line: string) => Promise<readonly [candidates: readonly string[], replaced: string]>;

interface PromptOptions {
  readonly history?: History;
  readonly complete?: Completion;
}

type Completer = (line: string, done: (error: null, result: [string[], string]) => void) => void;

/** A completion as readline wants it. A second Tab before the first is answered adds nothing: readline would insert the answer twice. */
export function toCompleter(complete: Completion): Completer {
  let isCompleting = false;
  return (line, done) => {
    if (isCompleting) return done(null, [[], line]);
    isCompleting = true;
    void complete(line)
      .catch((): readonly [readonly string[], string] => [[], line])
      .then(([found, end]) => {
        isCompleting = false;
        done(null, [[...found], end]);
      });
  };
}

/**
 * Asks for one message. Alt+Enter, or a backslash at the end of a line, continues in the next; so do lines between `"""`, and
 * pasted lines are one message. Between two calls the terminal is in its normal mode, so that Ctrl+C sends a signal.
 */
export function readPrompt(prompt: string, { history, complete }: PromptOptions = {}): Promise<PromptInput> {
  const { stdin: input, stdout: output } = process;
  const typed = history?.lines.slice() ?? [];
  const size = history ? 1000 : 0;
  const options = { input, output, terminal: true, prompt, history: typed, historySize: size };
  const reading = createInterface({ ...options, ...(complete && { completer: toCompleter(complete) }) });
  const gathered: string[] = [];
  let isPasting = false;
  let isEnding = false;
  let isBlock = false;
  const onKey = (_text: string | undefined, key?: { readonly name?: string; readonly meta?: boolean }) => {
    if (key?.name === 'paste-start') isPasting = true;
    if (key?.name === 'paste-end') isPasting = false;
    if (key?.meta && (key.name === 'return' || key.name === 'enter')) {
      gathered.push(reading.line);
      history?.add(reading.line);
      // Readline has no way to take a line without ending it.
      Object.assign(reading, { line: '', cursor: 0 });
      output.write('\n');
      promptWith(reading, MORE);
    }
  };
  input.on('keypress', onKey);
  output.write(PASTES.on);
  reading.prompt();

  return new Promise((resolve) => {
    let answer: PromptInput = { kind: 'end' };
    const finish = (given: PromptInput) => {
      answer = given;
      reading.close();
    };
    const endLine = () => {
      isEnding = false;
      // The start of another line has arrived already: this terminal does not mark pasted text.
      if (reading.line !== '') return;
      const text = gathered.join('\n').trimEnd();
      finish({ kind: 'text', text });
    };
    reading.on('line', (line) => {
      history?.add(line);
      if (line.trim() === BLOCK && !isPasting && (isBlock || gathered.length === 0)) {
        isBlock = !isBlock;
        if (isBlock) return promptWith(reading, MORE);
        return endLine();
      }
      const isOpen = (line.endsWith('\\') || isBlock) && !isPasting;
      gathered.push(isOpen && !isBlock ? line.slice(0, -1) : line);
      if (isOpen) promptWith(reading, MORE);
      else if (!isPasting && !isEnding) {
        isEnding = true;
        setImmediate(endLine);
      }
    });
    reading.on('SIGINT', () => {
      if (reading.line === '' && gathered.length === 0) return finish({ kind: 'interrupt' });
      gathered.length = 0;
      isBlock = false;
      reading.write(null, { ctrl: true, name: 'e' });
      reading.write(null, { ctrl: true, name: 'u' });
      output.write('\n');
      promptWith(reading, prompt);
    });
    reading.on('close', () => {
      input.removeListener('keypress', onKey);
      output.write(answer.kind === 'text' ? PASTES.off : `${PASTES.off}\n`);
      resolve(answer);
    });
  });
}

function promptWith(reading: Interface, prompt: string): void {
  reading.setPrompt(prompt);
  reading.prompt();
}

const KEPT = 1000;

/** The lines typed at the prompt, also in earlier runs. If they cannot be stored, the chat works without them. */
interface History {
  /** Newest first, as readline expects. */
  readonly lines: string[];
  add(line: string): void;
}

/** Only its owner can read the file, because people type private things. */
export function openHistory(file = historyFile(process.env)): History {
  const lines = read(file).slice(-KEPT).reverse();
  return {
    lines,
    add(line) {
      if (line.trim() === '' || line === lines[0]) return;
      lines.unshift(line);
      if (lines.length > KEPT) lines.pop();
      quietly(() => {
        mkdirSync(dirname(file), { recursive: true });
        appendFileSync(file, `${line}\n`, { mode: 0o600 });
      });
    },
  };
}

function historyFile(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'skein', 'chat-history');
}

function read(file: string): string[] {
  return (
    quietly(() => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      if (lines.length > 2 * KEPT) shorten(file, lines.slice(-KEPT));
      else chmodSync(file, 0o600);
      return lines;
    }) ?? []
  );
}

function shorten(file: string, lines: readonly string[]): void {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${lines.join('\n')}\n`, { mode: 0o600 });
  renameSync(draft, file);
}

function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
