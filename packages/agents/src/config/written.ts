import {
  flag,
  list,
  matching,
  number,
  object,
  oneOf,
  record,
  type Shape,
  text,
  variable,
  webAddress,
} from '../files/shape.ts';

/** A configuration as it is written in a file, key by key. */
export interface Written {
  readonly store: string;
  readonly project: string;
  readonly model: string;
  readonly preset: string;
  readonly presets: Readonly<Record<string, Partial<WrittenPreset>>>;
  readonly providers: Readonly<Record<string, Partial<WrittenProvider>>>;
  readonly agents: string;
  readonly mcp: Readonly<Record<string, Partial<WrittenServer>>>;
  readonly fetch: Partial<WrittenFetch>;
  readonly redaction: Partial<WrittenRedaction>;
  readonly retention: Partial<WrittenRetention>;
  readonly server: Partial<WrittenHost>;
  readonly proxy: Partial<WrittenProxy>;
  readonly hints: Partial<WrittenHints>;
  readonly titles: 'words' | 'model';
  readonly plugins: readonly string[];
}

interface WrittenPreset {
  readonly temperature: number;
  readonly max_tokens: number;
  readonly top_p: number;
  readonly n: number;
}

export interface WrittenProvider {
  readonly base_url: string;
  readonly key_variable: string;
  readonly dialect: string;
}

export interface WrittenServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly call_seconds: number;
  readonly start_seconds: number;
  readonly approve: 'annotations' | 'all' | 'none';
}

interface WrittenFetch {
  readonly enabled: boolean;
  readonly hosts: readonly string[];
  readonly private_hosts: readonly string[];
  readonly max_bytes: number;
  readonly seconds: number;
}

interface WrittenRedaction {
  readonly patterns: readonly string[];
  readonly fields: readonly string[];
  readonly before_storing: boolean;
}

interface WrittenRetention {
  readonly days: number;
  readonly recording_days: number;
}

interface WrittenHost {
  readonly port: number;
  readonly host: string;
  readonly token_variable: string;
  readonly hosts: readonly string[];
}

interface WrittenProxy {
  readonly mode: 'record' | 'replay' | 'pass';
  readonly on_miss: 'refuse' | 'pass';
  readonly use_server_keys: boolean;
}

interface WrittenHints {
  readonly person: readonly string[];
  readonly session: readonly string[];
}

/** Names become parts of tool names, which two underscores divide. */
const SERVER_NAME = /^(?!.*__)[A-Za-z][A-Za-z0-9_-]{0,31}$/;

const store: Shape<string> = (value, path, report) => {
  const given = text(value, path, report);
  if (given === undefined || !/^postgres(ql)?:/.test(given)) return given;
  if (/^postgres:[A-Za-z_][A-Za-z0-9_]*$/.test(given)) return given;
  const fix = 'Put the address into a variable and name it: "postgres:DATABASE_URL".';
  report(path, 'wrong-value', 'The address of a database holds a password, and is not written down.', fix);
  return undefined;
};

const pattern: Shape<string> = (value, path, report) => {
  const given = text(value, path, report);
  if (given === undefined) return undefined;
  try {
    new RegExp(given, 'u');
    return given;
  } catch (error) {
    report(path, 'wrong-value', `This is no regular expression: ${(error as Error).message}.`, 'Mend it.');
    return undefined;
  }
};

const hintPlace = matching(
  /^(?:header:[\w-]+|body:[\w-]+(?:\.[\w-]+)*)$/,
  'a header or a member of the body, such as "header:x-customer" or "body:metadata.customer"',
);
const modelName = matching(/^[^\s/]+\/\S+$/, '"provider/model", such as "openai/gpt-5.2"');
/** Also numbers and flags, which people write where the variable of a program is meant. */
const value: Shape<string> = (given, path, report) =>
  typeof given === 'number' || typeof given === 'boolean' ? String(given) : text(given, path, report);

export const serversShape: Shape<Readonly<Record<string, Partial<WrittenServer>>>> = record(
  object<WrittenServer>({
    command: text,
    args: list(value),
    env: record(value, /^[A-Za-z_][A-Za-z0-9_]*$/),
    cwd: text,
    url: webAddress,
    headers: record(text, /^[A-Za-z0-9-]+$/),
    call_seconds: number(0.001, 86_400),
    start_seconds: number(0.001, 3_600),
    approve: oneOf('annotations', 'all', 'none'),
  }),
  SERVER_NAME,
);

/** What may stand in a configuration. */
export const configShape: Shape<Partial<Written>> = object<Written>({
  store,
  project: matching(/^[\w.-]{1,100}$/, 'a name of letters, digits, dots, hyphens and underscores'),
  model: modelName,
  titles: oneOf('words', 'model'),
  plugins: list(text),
  preset: text,
  presets: record(
    object<WrittenPreset>({
      temperature: number(0, 2),
      max_tokens: number(1, Infinity, 'whole'),
      top_p: number(0, 1),
      n: number(1, 100, 'whole'),
    }),
  ),
  providers: record(
    object<WrittenProvider>({ base_url: webAddress, key_variable: variable, dialect: text }),
    /^[A-Za-z0-9][\w.-]*$/,
  ),
  agents: text,
  mcp: serversShape,
  fetch: object<WrittenFetch>({
    enabled: flag,
    hosts: list(text),
    private_hosts: list(text),
    max_bytes: number(1, 100_000_000, 'whole'),
    seconds: number(0.001, 600),
  }),
  redaction: object<WrittenRedaction>({ patterns: list(pattern), fields: list(text), before_storing: flag }),
  hints: object<WrittenHints>({ person: list(hintPlace), session: list(hintPlace) }),
  retention: object<WrittenRetention>({ days: number(1, Infinity), recording_days: number(1, Infinity) }),
  server: object<WrittenHost>({
    port: number(0, 65_535, 'whole'),
    host: text,
    token_variable: variable,
    hosts: list(matching(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/, 'a host name without a port, such as "skein.example"')),
  }),
  proxy: object<WrittenProxy>({
    mode: oneOf('record', 'replay', 'pass'),
    on_miss: oneOf('refuse', 'pass'),
    use_server_keys: flag,
  }),
});
