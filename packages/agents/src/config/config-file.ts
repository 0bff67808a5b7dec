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

/** The keys of a configuration file. */
export interface ConfigFile {
  readonly store: string;
  readonly stores: Readonly<Record<string, string>>;
  readonly project: string;
  readonly model: string;
  readonly preset: string;
  readonly presets: Readonly<Record<string, Partial<PresetEntry>>>;
  readonly providers: Readonly<Record<string, Partial<ProviderEntry>>>;
  readonly agents: string;
  readonly cassettes: string;
  readonly mcp: Readonly<Record<string, Partial<McpServerEntry>>>;
  readonly fetch: Partial<FetchEntry>;
  readonly redaction: Partial<RedactionEntry>;
  readonly retention: Partial<RetentionEntry>;
  readonly server: Partial<ServerEntry>;
  readonly proxy: Partial<ProxyEntry>;
  readonly gateway: Partial<GatewayEntry>;
  readonly hints: Partial<HintsEntry>;
  readonly titles: 'words' | 'model';
  readonly plugins: readonly string[];
}

interface PresetEntry {
  readonly temperature: number;
  readonly max_tokens: number;
  readonly top_p: number;
  readonly n: number;
}

export interface ProviderEntry {
  readonly base_url: string;
  readonly api_version: string;
  readonly key_variable: string;
  readonly dialect: string;
}

export interface McpServerEntry {
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

interface FetchEntry {
  readonly enabled: boolean;
  readonly hosts: readonly string[];
  readonly private_hosts: readonly string[];
  readonly max_bytes: number;
  readonly seconds: number;
}

interface RedactionEntry {
  readonly patterns: readonly string[];
  readonly fields: readonly string[];
  readonly before_storing: boolean;
}

interface RetentionEntry {
  readonly days: number;
  readonly recording_days: number;
}

interface ServerEntry {
  readonly port: number;
  readonly host: string;
  readonly token_variable: string;
  readonly hosts: readonly string[];
}

interface ProxyEntry {
  readonly mode: 'record' | 'replay' | 'pass';
  readonly on_miss: 'refuse' | 'pass';
  readonly use_server_keys: boolean;
}

interface GatewayEntry {
  readonly routes: Readonly<Record<string, string>>;
  readonly fallback: readonly string[];
  readonly tokens: readonly Partial<TokenEntry>[];
}

export interface TokenEntry {
  readonly name: string;
  readonly variable: string;
  readonly budget: Partial<BudgetEntry>;
}

interface BudgetEntry {
  readonly cost_per_day: number;
  readonly requests_per_minute: number;
}

interface HintsEntry {
  readonly person: readonly string[];
  readonly session: readonly string[];
}

/** Server names become parts of tool names, separated by two underscores. */
const SERVER_NAME = /^(?!.*__)[A-Za-z][A-Za-z0-9_-]{0,31}$/;

const PROJECT_NAME = /^[\w.-]{1,100}$/;

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
    report(path, 'wrong-value', `This is not a regular expression: ${(error as Error).message}.`, 'Fix it.');
    return undefined;
  }
};

const hintPlace = matching(
  /^(?:header:[\w-]+|body:[\w-]+(?:\.[\w-]+)*)$/,
  'a header or a member of the body, such as "header:x-customer" or "body:metadata.customer"',
);
const modelName = matching(/^[^\s/]+\/\S+$/, '"provider/model", such as "openai/gpt-5.5"');
/** Also accepts numbers and booleans, which people write for the variables of a program. */
const value: Shape<string> = (given, path, report) =>
  typeof given === 'number' || typeof given === 'boolean' ? String(given) : text(given, path, report);

export const serversShape: Shape<Readonly<Record<string, Partial<McpServerEntry>>>> = record(
  object<McpServerEntry>({
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

/** The allowed keys and values of a configuration. */
export const configShape: Shape<Partial<ConfigFile>> = object<ConfigFile>({
  store,
  stores: record(store, PROJECT_NAME),
  project: matching(PROJECT_NAME, 'a name of letters, digits, dots, hyphens and underscores'),
  model: modelName,
  titles: oneOf('words', 'model'),
  plugins: list(text),
  preset: text,
  presets: record(
    object<PresetEntry>({
      temperature: number(0, 2),
      max_tokens: number(1, Infinity, 'whole'),
      top_p: number(0, 1),
      n: number(1, 100, 'whole'),
    }),
  ),
  providers: record(
    object<ProviderEntry>({ base_url: webAddress, key_variable: variable, dialect: text, api_version: text }),
    /^[A-Za-z0-9][\w.-]*$/,
  ),
  agents: text,
  cassettes: text,
  mcp: serversShape,
  fetch: object<FetchEntry>({
    enabled: flag,
    hosts: list(text),
    private_hosts: list(text),
    max_bytes: number(1, 100_000_000, 'whole'),
    seconds: number(0.001, 600),
  }),
  redaction: object<RedactionEntry>({ patterns: list(pattern), fields: list(text), before_storing: flag }),
  hints: object<HintsEntry>({ person: list(hintPlace), session: list(hintPlace) }),
  retention: object<RetentionEntry>({ days: number(1, Infinity), recording_days: number(1, Infinity) }),
  server: object<ServerEntry>({
    port: number(0, 65_535, 'whole'),
    host: text,
    token_variable: variable,
    hosts: list(matching(/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252})$/, 'a host name without a port, such as "skein.example"')),
  }),
  proxy: object<ProxyEntry>({
    mode: oneOf('record', 'replay', 'pass'),
    on_miss: oneOf('refuse', 'pass'),
    use_server_keys: flag,
  }),
  gateway: object<GatewayEntry>({
    routes: record(modelName, /^\S+$/),
    fallback: list(modelName),
    tokens: list(
      object<TokenEntry>({
        name: matching(/^[\w.-]{1,50}$/, 'a name of letters, digits, dots, hyphens and underscores'),
        variable,
        budget: object<BudgetEntry>({ cost_per_day: number(0, Infinity), requests_per_minute: number(1, Infinity) }),
      }),
    ),
  }),
});
