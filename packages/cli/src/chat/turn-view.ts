import { describeLoss, type Notice } from '@skein/core';
import type { Forest, ForestNode, GenerationEvent } from '@skein/forest';
import { nodeText } from '../output/message-text.ts';
import { colors, counted, harmless, oneLine, write } from '../output/output.ts';
import type { World } from '../world/open-world.ts';
import { markdownStream } from './markdown.ts';

/** Shows an answer while it grows: text as it comes, thoughts as one line, what tools are asked and say. */
export interface TurnView {
  see(event: GenerationEvent): Promise<void>;
  end(): void;
}

/** `isWhole`: what is to be hidden can be cut in two by a stream, so texts are shown when they are complete. */
export function turnView(forest: Forest, redact: World['redact'], isWhole: boolean): TurnView {
  const calls = new Map<number, { readonly id: string; parameters: string }>();
  let markdown = markdownStream(colors);
  let thoughts = 0;
  let last = '\n';

  const showText = (text: string) => {
    endThoughts();
    write(markdown.push(harmless(text)));
    last = text.at(-1) ?? last;
  };
  const endText = () => {
    write(`${markdown.end()}${last === '\n' ? '' : '\n'}`);
    markdown = markdownStream(colors);
    last = '\n';
  };
  const showThoughts = (line: string, end: string) =>
    write(`${colors.isColorSupported ? '\r\x1b[2K' : ''}${colors.dim(line)}${end}`);
  const endThoughts = () => {
    if (thoughts > 0) showThoughts(`(thought: ${counted(thoughts, 'character')}, /thinking shows them)`, '\n');
    thoughts = 0;
  };
  const showLine = (line: string) => {
    endThoughts();
    endText();
    write(`${line}\n`);
  };
  const parametersOf = (id: string) => [...calls.values()].find((call) => call.id === id)?.parameters ?? '';

  async function see(event: GenerationEvent): Promise<void> {
    if (event.type === 'text' || event.type === 'refusal') {
      if (!isWhole) showText(event.text);
    } else if (event.type === 'reasoning') {
      thoughts += event.text.length;
      if (colors.isColorSupported) showThoughts(`(thinking: ${counted(thoughts, 'character')})`, '');
    } else if (event.type === 'tool-use') calls.set(event.index, { id: event.id, parameters: '' });
    else if (event.type === 'tool-arguments') {
      const call = calls.get(event.index);
      if (call) call.parameters += event.text;
    } else if (event.type === 'tool-start') showLine(callLine(event.name, redact(parametersOf(event.callId))));
    else if (event.type === 'retry')
      showLine(colors.yellow(`Trying again (${event.attempt}): ${oneLine(event.reason, 200)}`));
    else if (event.type === 'notice') showLine(colors.dim(oneLine(noticeText(event.notice), 300)));
    else if (event.type === 'message') seeMessage(await forest.node(event.node));
  }

  function seeMessage(node: ForestNode): void {
    if (node.role === 'tool') showLine(colors.dim(`  ${oneLine(redact(nodeText(node)), 120)}`));
    else if (isWhole && node.message.text !== '') showText(redact(node.message.text));
  }

  return {
    see,
    end() {
      endThoughts();
      endText();
    },
  };
}

/** With what was left out, as far as it fits. */
function noticeText({ message, losses = [] }: Notice): string {
  return [message, ...losses.map(describeLoss)].join('; ');
}

/** A call in one line, before it runs or is asked about. */
export function callLine(name: string, parameters: string): string {
  return `${colors.cyan('→')} ${oneLine(name)} ${colors.dim(oneLine(parameters, 200))}`;
}
