import { problemOf } from '../api/client.ts';

/** Several exports in one file. All formats are lines or paragraphs, and an import reads them one behind the other. */
export async function saveJoined(addresses: readonly string[], name: string): Promise<void> {
  const parts: Blob[] = [];
  for (const address of addresses) {
    const response = await fetch(address);
    if (!response.ok) throw await problemOf(response);
    parts.push(await response.blob());
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob(parts));
  link.download = name;
  link.click();
  // The browser has taken the address over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
