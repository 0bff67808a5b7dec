import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SyncError } from '../sync-error.ts';
import type { PackStorage } from './pack-place.ts';

/** How often a commit is tried again when another process has moved the branch meanwhile. */
const TRIES = 20;
const WAIT_MS = 50;
/** How many files are read by one process. */
const AT_ONCE = 16;

/**
 * A branch of a git repository as a place for packs. It is written with git's plumbing commands: no file of the working
 * tree and not its index are touched, and the branch moves only if nobody else has moved it.
 *
 * @example
 * const there = packPeer(await gitPacks('/home/ada/notes', 'skein'), { project: 'default' });
 */
export async function gitPacks(repository: string, branch: string): Promise<PackStorage> {
  const git = (args: readonly string[], input?: string | Uint8Array, env: Record<string, string> = {}) =>
    runGit(repository, args, input, env);
  const ref = `refs/heads/${branch}`;
  await git(['check-ref-format', ref]);
  const tip = async () => {
    const found = await git(['for-each-ref', '--format=%(objectname)', ref]);
    return found.toString().trim() || undefined;
  };
  const name = `The branch ${branch} of ${repository}`;

  /** The blobs of a commit by path. */
  const blobsOf = async (commit: string | undefined) => {
    if (commit === undefined) return new Map<string, string>();
    const lines = (await git(['ls-tree', '-r', '-z', commit])).toString().split('\0');
    return new Map(
      lines.flatMap((line) => {
        const [, type, blob, path] = /^\d+ (\w+) ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
        return type === 'blob' && path !== undefined ? [[path, blob!] as const] : [];
      }),
    );
  };
  let blobs = new Map<string, string>();

  const checkNotInUse = async () => {
    const trees = (await git(['worktree', 'list', '--porcelain'])).toString().split('\n');
    if (trees.includes(`branch ${ref}`))
      throw new SyncError(
        'sync_refused',
        `${name} is checked out: choose another branch, which nobody edits. Nothing was written.`,
      );
  };

  /** The commit of these blobs on top of another one. */
  const commit = async (parent: string | undefined, added: ReadonlyMap<string, string>): Promise<string> => {
    const index = join(tmpdir(), `skein-index-${randomUUID()}`);
    const env = { GIT_INDEX_FILE: index };
    try {
      if (parent !== undefined) await git(['read-tree', parent], undefined, env);
      const lines = [...added].map(([path, blob]) => `100644 ${blob}\t${path}\0`);
      await git(['update-index', '-z', '--index-info'], lines.join(''), env);
      const tree = (await git(['write-tree'], undefined, env)).toString().trim();
      const above = parent === undefined ? [] : ['-p', parent];
      return (await git(['commit-tree', tree, ...above, '-m', 'skein: conversations'])).toString().trim();
    } finally {
      await rm(index, { force: true });
    }
  };

  return {
    name,
    async list() {
      await checkNotInUse();
      blobs = await blobsOf(await tip());
      return [...blobs.keys()];
    },
    async *read(paths) {
      for (let start = 0; start < paths.length; start += AT_ONCE) {
        const some = paths.slice(start, start + AT_ONCE);
        const out = await git(['cat-file', '--batch'], some.map((path) => `${blobs.get(path)}\n`).join(''));
        // Each blob follows a line with its name, kind and size, and is followed by a line end.
        let at = 0;
        for (const path of some) {
          const begin = out.indexOf('\n', at) + 1;
          const size = Number(out.toString('latin1', at, begin).split(' ')[2]);
          if (!(size >= 0)) throw new SyncError('sync_refused', `${path} in ${name} cannot be read.`);
          yield { path, bytes: out.subarray(begin, begin + size) };
          at = begin + size + 1;
        }
      }
    },
    async add(files) {
      await checkNotInUse();
      const added = new Map<string, string>();
      for (const [path, bytes] of files)
        added.set(path, (await git(['hash-object', '-w', '--stdin', '--no-filters'], bytes)).toString().trim());
      for (let tried = 1; ; tried++) {
        const parent = await tip();
        const made = await commit(parent, added);
        try {
          // It fails if the branch is no longer, or already, there: then on top of what others added.
          await git(['update-ref', ref, made, parent ?? NO_COMMIT]);
          return;
        } catch (error) {
          if (tried === TRIES || (await tip()) === parent) throw error;
          await sleep(Math.random() * WAIT_MS * tried);
        }
      }
    },
  };
}

/** git's way to say that there must be none yet. */
const NO_COMMIT = '';

/** Variables of a git that started us, such as a hook, would lead to another repository. */
const LEADING = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY', 'GIT_NAMESPACE', 'GIT_PREFIX'];
/** Commits are Skein's, and need no name in the configuration. */
const SIGNATURE = {
  GIT_AUTHOR_NAME: 'Skein',
  GIT_AUTHOR_EMAIL: 'skein@localhost',
  GIT_COMMITTER_NAME: 'Skein',
  GIT_COMMITTER_EMAIL: 'skein@localhost',
};

async function runGit(
  repository: string,
  args: readonly string[],
  input: string | Uint8Array | undefined,
  env: Record<string, string>,
): Promise<Buffer> {
  const inherited = Object.entries(process.env).filter(([name]) => !LEADING.includes(name));
  const { spawn } = await import('node:child_process');
  const child = spawn('git', ['-C', repository, '-c', 'commit.gpgSign=false', ...args], {
    env: { ...Object.fromEntries(inherited), ...SIGNATURE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [out, error, code] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number | Error | null>((done) => {
      child.once('error', done);
      child.once('close', done);
    }),
  ]);
  if (code === 0) return out;
  const why = code instanceof Error ? code.message : error.toString().trim().slice(0, 500) || `it ended with ${code}`;
  throw new SyncError('sync_refused', `git ${args[0]} failed in ${repository}: ${why}`);
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
