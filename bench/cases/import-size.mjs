// The size of a program that sends one request to one provider, bundled for a browser or a worker.
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Each as in the beginning of its documentation: a call, and its provider. */
const PROGRAMS = {
  Skein: 'export { run, user } from "@skein/core"',
  'OpenAI SDK': 'export { default } from "openai"',
  'Anthropic SDK': 'export { default } from "@anthropic-ai/sdk"',
  'Google Gen AI SDK': 'export { GoogleGenAI } from "@google/genai"',
  'Vercel AI SDK': 'export { generateText } from "ai"; export { createOpenAI } from "@ai-sdk/openai"',
  'LangChain.js': 'export { ChatOpenAI } from "@langchain/openai"',
  'TanStack AI': 'export { chat } from "@tanstack/ai"; export { createOpenaiChat } from "@tanstack/ai-openai"',
  'pi-ai': 'export { complete } from "@mariozechner/pi-ai"',
};

/** @returns {Promise<string[][]>} */
export async function importSizes() {
  return Promise.all(Object.entries(PROGRAMS).map(async ([name, contents]) => [name, ...(await sizeOf(contents))]));
}

/** @param {string} contents */
async function sizeOf(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    bundle: true,
    minify: true,
    splitting: true,
    write: false,
    outdir: '/out',
    format: 'esm',
    platform: 'node',
    logLevel: 'silent',
  });
  // Code that is loaded on first use is not part of the cost of importing.
  const entry = outputFiles.find(({ path }) => path.endsWith('stdin.js'));
  const imported = new Set([entry, ...chunksOf(entry?.text ?? '', outputFiles)]);
  const bytes = Buffer.concat([...imported].map((file) => Buffer.from(file?.contents ?? [])));
  return [bytes.length, gzipSync(bytes).length].map((size) => (size / 1000).toFixed(0));
}

/**
 * The files that one needs before it runs, and what those need.
 * @param {string} text
 * @param {readonly import('esbuild').OutputFile[]} files
 * @param {Set<import('esbuild').OutputFile>} [found]
 */
function chunksOf(text, files, found = new Set()) {
  for (const [, name = ''] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
    const file = files.find(({ path }) => path.endsWith(`/${name}`));
    if (!file || found.has(file)) continue;
    found.add(file);
    chunksOf(file.text, files, found);
  }
  return found;
}
