import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Forest, projectSecrets } from '@skein/forest';

/**
 * References stand in answers of the gateway where the client's protocol has a signature or a ciphertext: the client sends
 * them back, and the original reasoning is found by them. They name an exchange and a block of its reply, and are signed
 * with a secret of the project, so that nobody can make one, and none is valid in another project.
 */
export interface References {
  mint(exchange: string, block: number): string;
  /** The exchanges that the references in a text name. `unknown` is how many are not ours, or altered. */
  find(text: string): Promise<{ readonly exchanges: readonly string[]; readonly unknown: number }>;
}

/** Six bytes are eight characters of base64, whatever follows. */
const MARK = 'skein:';
const MARKED = Buffer.from(MARK).toString('base64');
const PATTERN = new RegExp(`"(${MARKED}[A-Za-z0-9+/]{1,192}={0,2})"`, 'g');
const MAC_BYTES = 16;
/** A reference that is not known may be signed with a secret that another server has just made. */
const REFRESH_MS = 1000;

/** Whether a text has anything that looks like a reference. */
export function hasReference(text: string): boolean {
  return text.includes(`"${MARKED}`);
}

export async function loadReferences(forest: Forest): Promise<References> {
  let secrets = await projectSecrets(forest, 'references');
  let readAt = Date.now();

  const isSigned = (named: string, mac: Buffer) =>
    secrets.some((secret) => {
      const own = sign(secret, named);
      return own.length === mac.length && timingSafeEqual(own, mac);
    });
  const check = async (named: string, mac: Buffer): Promise<boolean> => {
    if (isSigned(named, mac)) return true;
    if (Date.now() - readAt < REFRESH_MS) return false;
    readAt = Date.now();
    secrets = await projectSecrets(forest, 'references');
    return isSigned(named, mac);
  };

  return {
    mint(exchange, block) {
      const named = `${MARK}${exchange}:${block}`;
      return Buffer.concat([Buffer.from(`${named}:`), sign(secrets[0], named)]).toString('base64');
    },
    async find(text) {
      const exchanges = new Set<string>();
      let unknown = 0;
      for (const [, reference = ''] of text.matchAll(PATTERN)) {
        const bytes = Buffer.from(reference, 'base64');
        const named = bytes.subarray(0, -MAC_BYTES - 1).toString();
        const [, exchange] = /^skein:(.+):\d+$/.exec(named) ?? [];
        const isOurs = exchange !== undefined && (await check(named, bytes.subarray(-MAC_BYTES)));
        if (isOurs) exchanges.add(exchange);
        else unknown += 1;
      }
      return { exchanges: [...exchanges], unknown };
    },
  };
}

function sign(secret: string, named: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(named).digest().subarray(0, MAC_BYTES);
}
