/** Which of the offered tools the user seems to ask for. */
import type { BrainRequest, OfferedTool } from './brain.ts';

const COMMON = new Set(
  'about after again also and any are can could does for from get give given have how into just like make more name not of one please show some tell than that the their them then there these this time tool tools use used user using want what when where which will with would you your'.split(
    ' ',
  ),
);

/** Words in small letters, the common ones left out, cut to their stem: `weather_lookup` and "look up the weather". */
function stems(text: string): ReadonlySet<string> {
  const spaced = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  const words = spaced.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 5)));
}

const shared = (one: ReadonlySet<string>, other: ReadonlySet<string>): number =>
  [...one].filter((word) => other.has(word)).length;

const score = (tool: OfferedTool, said: ReadonlySet<string>): number =>
  2 * shared(stems(tool.name), said) + shared(stems(tool.description), said);

/** A forced tool, or the best match; any tool when the user asks for one. A description needs two words in common. */
export function fittingTool({ tools, forced, text }: BrainRequest): OfferedTool | undefined {
  if (typeof forced === 'string') return tools.find(({ name }) => name === forced);
  const said = stems(text);
  const [best] = tools
    .map((tool) => ({ tool, score: score(tool, said) }))
    .sort((one, other) => other.score - one.score);
  if (best === undefined) return undefined;
  const asked = forced === true || /\b(use|call|try|run)\b.*\btools?\b/i.test(text);
  return asked || best.score >= 2 ? best.tool : undefined;
}
