import type { AttachmentContent } from './attachments.ts';

/**
 * The contents of attached files, which are too large for the storage of texts, and the queued messages that were sent. Both
 * are in a database of the browser, which all tabs share. A browser without one keeps the files of a draft while its page is open.
 */

type StoreName = 'files' | 'sent';

let opened: Promise<IDBDatabase> | undefined;

function openDatabase(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('skein', 1);
    request.onupgradeneeded = () => {
      for (const name of ['files', 'sent'] satisfies StoreName[]) request.result.createObjectStore(name);
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => {
      opened = undefined;
      reject(request.error);
    };
  });
  return opened;
}

/** The result of a request, once it is stored. */
async function ask<T>(
  name: StoreName,
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await openDatabase()).transaction(name, mode);
  const asked = request(transaction.objectStore(name));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(asked.result);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** True if the browser has it now. */
export function keepFile(id: string, content: AttachmentContent): Promise<boolean> {
  return ask('files', 'readwrite', (store) => store.put(content, id)).then(
    () => true,
    () => false,
  );
}

export function dropFile(id: string): void {
  ask('files', 'readwrite', (store) => store.delete(id)).catch(() => undefined);
}

/** Undefined if the browser has no such file; it throws if the browser could not look. */
export function readFileContent(id: string): Promise<AttachmentContent | undefined> {
  return ask<AttachmentContent | undefined>('files', 'readonly', (store) => store.get(id));
}

/** Notes that a queued message was sent, for tabs that do not know of it yet. */
export async function noteSent(id: string): Promise<void> {
  await ask('sent', 'readwrite', (store) => store.put(true, id)).catch(() => undefined);
}

export async function wasSent(id: string): Promise<boolean> {
  return (await ask<unknown>('sent', 'readonly', (store) => store.get(id)).catch(() => undefined)) === true;
}
