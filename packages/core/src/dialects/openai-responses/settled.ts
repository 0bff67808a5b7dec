import { elementTexts, isObject, parseJson, textAt } from '../../json/index.ts';

/**
 * The items of the terminal event. Some servers leave out there what they streamed: then each streamed item takes the
 * final text of the same id where there is one, its own otherwise, and what fits none of them follows.
 */
export function settled(streamed: readonly string[], response: string): readonly string[] {
  const output = textAt(response, ['output']);
  const final = output?.startsWith('[') ? elementTexts(output) : [];
  if (final.length >= streamed.length) return final;
  const byId = new Map(final.map((text) => [idOf(text), text]));
  const items = streamed.map((text) => {
    const id = idOf(text);
    const settledText = byId.get(id) ?? text;
    byId.delete(id);
    return settledText;
  });
  return [...items, ...byId.values()];
}

/** What has no id is itself. */
function idOf(text: string): unknown {
  const value = parseJson(text);
  return isObject(value) && typeof value.id === 'string' ? value.id : text;
}
