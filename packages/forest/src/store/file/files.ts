/** The few things the store does with files, so that tests can take the disk's place. */
export interface Files {
  /** Names in a folder; none when it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Undefined when there is no such file. */
  stat(path: string): Promise<FileStat | undefined>;
  /** What is there between these places; shorter at the end of the file. */
  read(path: string, start: number, length: number): Promise<Buffer>;
  /** A folder and those above it, for its owner alone. */
  makeFolder(path: string): Promise<void>;
  /** A new file to append to, for its owner alone; an error when it exists. */
  create(path: string): Promise<Appender>;
  /** A whole small file, for its owner alone. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name; an error (`EEXIST`) when that is taken. */
  link(path: string, name: string): Promise<void>;
  /** Takes from others the right to read a folder or file, and all that is in it, where that is ours to do. */
  tighten(path: string): Promise<void>;
  /** It may be gone already. */
  remove(path: string): Promise<void>;
  /** Sets the time of the last change to now. */
  touch(path: string): Promise<void>;
  /** Makes a file's bytes, or a folder's names, survive a loss of power. Whoever wrote them. */
  sync(path: string): Promise<void>;
  /** Lets go of what is kept open for reading. */
  close(): Promise<void>;
}

export interface FileStat {
  /** A file, and not a folder or something that would be waited for. */
  readonly isFile: boolean;
  readonly size: number;
  /** Another number when the file was replaced by another one. */
  readonly file: number;
  readonly changedMs: number;
}

export interface Appender {
  /** All of it, at the end, or an error after any part of it. */
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  close(): Promise<void>;
}
