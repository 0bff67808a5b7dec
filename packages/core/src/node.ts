import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Conversation, MessageList, type ReadOptions } from './conversation/index.ts';
import { loadDialectsIn } from './dialects/registry.ts';
import type { Message } from './message/index.ts';

export { type AwsCredentials, type AwsSignerOptions, createAwsSigner } from './providers/transport/aws-signer.ts';
export { createGoogleSigner, type GoogleSignerOptions } from './providers/transport/google-signer.ts';

/**
 * Saves messages to a file, and makes its folder where there is none. The file is replaced whole or not at all, also
 * when the machine stops in between.
 *
 * @example
 * await saveMessages('chat.json', [user('Hello'), reply.message]);
 */
export async function saveMessages(path: string, messages: Iterable<Message>): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const file = await open(temporary, 'wx');
    try {
      const list = messages instanceof MessageList ? messages : new MessageList(messages);
      await file.writeFile(`${JSON.stringify(list)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Loads the messages of a file that `saveMessages` wrote.
 *
 * @example
 * const messages = await loadMessages('chat.json');
 */
export async function loadMessages(path: string, options: ReadOptions = {}): Promise<MessageList> {
  const saved = await readFile(path);
  await loadDialectsIn(saved.toString('utf8'));
  return MessageList.fromJSON(saved, options);
}

/**
 * Saves the messages of a conversation to a file, and nothing else of it.
 *
 * @example
 * await saveConversation('chat.json', conversation);
 */
export async function saveConversation(path: string, conversation: Conversation): Promise<void> {
  await saveMessages(path, conversation.messages);
}

/**
 * A conversation from a file; it can go on with any provider.
 *
 * @example
 * const conversation = await loadConversation('chat.json');
 */
export async function loadConversation(path: string, options: ReadOptions = {}): Promise<Conversation> {
  return new Conversation({ messages: await loadMessages(path, options) });
}

/** Makes the new name durable. Windows cannot open folders; there the rename alone must do. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
