/** What a content and a part must hold. */
import { isObject, objects } from '../../json.ts';
import { isOwn } from './context.ts';
import { DATA_FIELDS } from './proto-content.ts';
import { first, type Rule } from './rule.ts';

const ROLES: readonly unknown[] = [undefined, '', 'user', 'model'];
const field = (path: string, text: string) => `* GenerateContentRequest.${path}: ${text}\n`;

export const contentRules: readonly Rule[] = [
  {
    id: 'no-contents',
    check: ({ contents }) => (contents.length === 0 ? field('contents', 'contents is not specified') : undefined),
  },
  {
    id: 'role',
    check: ({ contents }) =>
      contents.some(({ role }) => !ROLES.includes(role) && role !== 'function')
        ? 'Please use a valid role: user, model.'
        : undefined,
  },
  {
    // "Unsure" 7: older clients send results under this role.
    id: 'role-function',
    unsure: true,
    check: ({ contents }) =>
      contents.some(({ role }) => role === 'function') ? 'Please use a valid role: user, model.' : undefined,
  },
  {
    id: 'parts-empty',
    check: ({ contents, system }) => {
      const holders = contents.map((content, index) => [`contents[${index}]`, content] as const);
      return first([...holders, ['system_instruction', system] as const], ([path, content]) =>
        content && objects(content.parts).length === 0
          ? field(`${path}.parts`, 'contents.parts must not be empty.')
          : undefined,
      );
    },
  },
  {
    // An empty text counts as data, and a lone videoMetadata was accepted; a thought or a signature alone is nothing.
    id: 'oneof-none',
    // A kind of data that the provider made up itself counts, too.
    check: (context) =>
      first([...context.parts, ...context.systemParts], ({ part, path }) =>
        DATA_FIELDS.some((name) => name in part) ||
        'videoMetadata' in part ||
        context.faults.some((fault) => fault.path === path && isOwn(context, fault))
          ? undefined
          : field(`${path}.data`, "required oneof field 'data' must have one initialized field"),
      ),
  },
  {
    id: 'name-empty',
    check: ({ parts }) =>
      first(parts, ({ part, path }) =>
        first(['functionCall', 'functionResponse'], (kind) => {
          const data = part[kind];
          const name = kind === 'functionCall' ? 'function_call' : 'function_response';
          return isObject(data) && (data.name === undefined || data.name === '')
            ? field(`${path}.${name}.name`, 'Name cannot be empty.')
            : undefined;
        }),
      ),
  },
];
