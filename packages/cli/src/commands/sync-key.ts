import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PackCipher } from '@skein/forest';
import { CommandError, note, say, sayJson, toPrintable, UsageError } from '../output/output.ts';

/** `skein keygen`: a key as `age-keygen` writes it, so that `age -d -i` opens what it encrypts. */
export async function makeKey(file: string, { json = false }: { readonly json?: boolean }): Promise<void> {
  const { generateIdentity, identityToRecipient } = await import('age-encryption');
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const path = resolve(file);
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600).catch((error: NodeJS.ErrnoException) => {
    // A key that is overwritten takes everything with it that it encrypted.
    const why = error.code === 'EEXIST' ? 'is there already, and a key is never overwritten' : `: ${error.message}`;
    throw new CommandError('would_lose', toPrintable(`${path} ${why}. Name a new file.`));
  });
  try {
    await handle.writeFile(`# public key: ${recipient}\n${identity}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (json) return sayJson({ file: path, publicKey: recipient });
  say(recipient);
  note(
    toPrintable(`The key is in ${path}. Copy it to your other machines: without it, nobody can read what it encrypts.`),
  );
}

/** Reads a key file, and makes what encrypts with it. */
export async function readKey(file: string): Promise<PackCipher> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(toPrintable(`The key cannot be read: ${error.message}`));
  });
  const identity = text
    .split('\n')
    .find((line) => line.startsWith('AGE-SECRET-KEY-'))
    ?.trim();
  if (identity === undefined)
    throw new UsageError(toPrintable(`${file} has no key: make one with "skein keygen", or with age-keygen.`));
  const { Decrypter, Encrypter, identityToRecipient } = await import('age-encryption');
  const encrypter = new Encrypter();
  const decrypter = new Decrypter();
  try {
    encrypter.addRecipient(await identityToRecipient(identity));
    decrypter.addIdentity(identity);
  } catch (error) {
    throw new UsageError(toPrintable(`The key in ${file} is damaged: ${(error as Error).message}.`));
  }
  return { encrypt: (bytes) => encrypter.encrypt(bytes), decrypt: (bytes) => decrypter.decrypt(bytes, 'uint8array') };
}
