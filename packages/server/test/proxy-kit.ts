/** What the tests of the proxy share: the vendors' own clients, and bytes as they come off the wire. */
import { request } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { type Forest, type ListedExchange, listExchanges } from '@skein/forest';
import OpenAI from 'openai';
import { expect } from 'vitest';

/** The keys of the clients, which must be found nowhere. */
export const KEYS = {
  openai: 'sk-client-0123456789',
  anthropic: 'sk-ant-client-0123456789',
  google: 'AIza-client-0123',
};

export function clientsOf(url: string, headers: Record<string, string> = {}) {
  return {
    openai: new OpenAI({
      apiKey: KEYS.openai,
      baseURL: `${url}/proxy/openai/v1`,
      maxRetries: 0,
      defaultHeaders: headers,
    }),
    anthropic: new Anthropic({
      apiKey: KEYS.anthropic,
      baseURL: `${url}/proxy/anthropic`,
      maxRetries: 0,
      defaultHeaders: headers,
    }),
    google: new GoogleGenAI({ apiKey: KEYS.google, httpOptions: { baseUrl: `${url}/proxy/google`, headers } }),
  };
}

/** All exchanges, when none is under way and each has its place. */
export async function recorded(forest: Forest, count: number): Promise<readonly ListedExchange[]> {
  await expect
    .poll(async () => (await listExchanges(forest)).items.filter(({ landing }) => landing !== undefined).length, {
      timeout: 20_000,
    })
    .toBe(count);
  return (await listExchanges(forest)).items;
}

export interface Wire {
  readonly status: number;
  readonly statusMessage: string;
  readonly rawHeaders: readonly string[];
  readonly bytes: Buffer;
  /** Whether the connection broke before the end. */
  readonly broken: boolean;
}

/** One request without any help: nothing is decoded, nothing is followed. */
export function wire(
  url: string,
  {
    method = 'GET',
    path,
    headers = {},
    body,
  }: { method?: string; path?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Wire> {
  const { hostname, port, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path: path ?? `${pathname}${search}`, headers, agent: false });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const pieces: Buffer[] = [];
      const end = (broken: boolean) =>
        resolve({
          status: response.statusCode!,
          statusMessage: response.statusMessage!,
          rawHeaders: response.rawHeaders,
          bytes: Buffer.concat(pieces),
          broken,
        });
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => end(false));
      response.on('error', () => end(true));
    });
    sent.end(body);
  });
}
