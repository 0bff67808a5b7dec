import { useQuery } from '@tanstack/react-query';
import { BookText, Bot, SlashSquare, Wrench } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { moveOlderPrompts, type Prompt } from '../../api/library.ts';
import { queries } from '../../api/queries.ts';
import { oneLine } from '../../blocks/summary.ts';
import { type Command, useCommandList, useCommands } from '../../commands/registry.ts';
import { useView } from '../../state/view.ts';
import { t } from '../../words/words.ts';
import { listVariables, promptName } from './prompts.ts';
import { FillDialog, PromptsDialog } from './prompts-dialog.tsx';
import { useSettings } from './request-pickers.tsx';

/** Something that a slash or an @ in the field offers. */
interface Suggestion {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly icon: ReactNode;
  /** Runs it. What was typed to find it is removed before. */
  readonly run: () => void;
}

interface Asked {
  readonly sign: '/' | '@';
  readonly words: string;
  /** Where the sign is in the text. */
  readonly at: number;
}

const NONE: readonly never[] = [];
const MOST_SHOWN = 8;
const LIST_ID = 'composer-suggestions';

/** A slash at the beginning of the message, or an @ before a word. */
export function readAsked(text: string, caret: number): Asked | undefined {
  const before = text.slice(0, caret);
  const [, slash] = /^\/([\p{L}\p{N}-]*)$/u.exec(before) ?? [];
  if (slash !== undefined) return { sign: '/', words: slash, at: 0 };
  const found = /(?:^|\s)@([\p{L}\p{N}_-]*)$/u.exec(before);
  return found ? { sign: '@', words: found[1]!, at: before.length - found[1]!.length - 1 } : undefined;
}

/** What the field offers: prompts and commands after a slash, agents and tools after an @. */
export function useSuggestions(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
) {
  const [caret, setCaret] = useState(0);
  /** The suggestion that was chosen with the arrows, for the words that it was chosen for. */
  const [moved, setMoved] = useState({ asked: '', at: 0 });
  const [dismissed, setDismissed] = useState<string>();
  const [dialog, setDialog] = useState<'library' | Prompt>();
  const asked = text === dismissed ? undefined : readAsked(text, caret);
  const library = useQuery({ ...queries.library(), enabled: asked?.sign === '/' });
  const prompts = library.data?.prompts ?? NONE;
  useEffect(() => void moveOlderPrompts().catch(() => undefined), []);
  const offered = useOffered(asked, prompts, (prompt) => {
    if (listVariables(prompt.text).length > 0) setDialog(prompt);
    else setText(prompt.text);
  });
  const shown = offered.slice(0, MOST_SHOWN);
  const key = asked ? asked.sign + asked.words : '';
  const active = moved.asked === key ? Math.min(moved.at, shown.length - 1) : 0;
  useEffect(() => {
    const element = field.current;
    const look = () => element && document.activeElement === element && setCaret(element.selectionStart);
    document.addEventListener('selectionchange', look);
    return () => document.removeEventListener('selectionchange', look);
  }, [field]);
  useCommandList([
    {
      id: 'composer.prompts',
      title: t('composer.prompts'),
      group: 'conversation',
      words: t('composer.prompts-words'),
      run: () => setDialog('library'),
    },
  ]);

  const choose = (one: Suggestion) => {
    if (!asked) return;
    setText(text.slice(0, asked.at) + text.slice(asked.at + 1 + asked.words.length).replace(/^ /, ''));
    one.run();
    field.current?.focus();
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (shown.length === 0) return false;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setMoved({ asked: key, at: (active + step + shown.length) % shown.length });
    else if ((event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === 'Tab') choose(shown[active]!);
    else if (event.key === 'Escape') setDismissed(text);
    else return false;
    event.preventDefault();
    return true;
  };
  const isOpen = shown.length > 0;
  return {
    shown,
    active,
    choose,
    onKey,
    /** `selectionchange` comes after the text has changed, and a key may come in between. */
    onInput: (element: HTMLTextAreaElement) => setCaret(element.selectionStart),
    fieldProps: isOpen
      ? {
          'aria-haspopup': 'listbox' as const,
          'aria-controls': LIST_ID,
          'aria-activedescendant': `${LIST_ID}-${active}`,
        }
      : {},
    dialog:
      dialog === undefined ? null : dialog === 'library' ? (
        <PromptsDialog onClose={() => setDialog(undefined)} />
      ) : (
        <FillDialog
          prompt={dialog}
          onClose={() => setDialog(undefined)}
          onFilled={(filled) => {
            setDialog(undefined);
            setText(filled);
            requestAnimationFrame(() => field.current?.focus());
          }}
        />
      ),
  };
}

/** The suggestions that contain what was typed; those whose name begins with it come first. */
function useOffered(
  asked: Asked | undefined,
  prompts: readonly Prompt[],
  onPrompt: (prompt: Prompt) => void,
): readonly Suggestion[] {
  const commands = useCommands((state) => state.commands);
  const agents = useQuery({ ...queries.agents(), enabled: asked?.sign === '@' });
  const tools = useQuery({ ...queries.tools(), enabled: asked?.sign === '@' });
  const settings = useSettings();
  if (!asked) return [];
  const all: readonly Suggestion[] =
    asked.sign === '/'
      ? [
          ...prompts.map((prompt) => ({
            id: `prompt ${prompt.name}`,
            title: prompt.name,
            note: oneLine(prompt.text, 100),
            icon: <BookText size={14} aria-hidden />,
            run: () => onPrompt(prompt),
          })),
          ...[...commands.values()].filter(isOffered).map(({ id, title, run }) => ({
            id,
            title: promptName(title),
            note: title,
            icon: <SlashSquare size={14} aria-hidden />,
            run,
          })),
        ]
      : [
          ...(agents.data?.items ?? []).map(({ id, name, description }) => ({
            id: `agent ${id}`,
            title: name,
            note: description ?? t('composer.agent'),
            icon: <Bot size={14} aria-hidden />,
            run: () => useView.setState({ agent: id, model: undefined }),
          })),
          ...(tools.data?.items ?? []).map(({ name, description }) => ({
            id: `tool ${name}`,
            title: name,
            note: settings.tools.includes(name)
              ? t('composer.suggestion-tool-chosen')
              : (description ?? t('composer.suggestion-tool')),
            icon: <Wrench size={14} aria-hidden />,
            run: () =>
              settings.choose({
                tools: settings.tools.includes(name)
                  ? settings.tools.filter((one) => one !== name)
                  : [...settings.tools, name],
              }),
          })),
        ];
  const words = asked.words.toLowerCase();
  const begins = (one: Suggestion) => Number(one.title.toLowerCase().startsWith(words));
  return all.filter((one) => one.title.toLowerCase().includes(words)).sort((a, b) => begins(b) - begins(a));
}

/** Commands that make sense from the field; those that only move the page have keys. */
function isOffered({ group, id }: Command): boolean {
  const isSending = ['composer.send', 'composer.send-only', 'composer.focus'].includes(id);
  return (group === 'conversation' || group === 'branch') && !isSending && !/^thread\.|again-\d/.test(id);
}

type SuggestionListProps = Pick<ReturnType<typeof useSuggestions>, 'shown' | 'active' | 'choose'>;

/** The room that the list needs above the field, in pixels: its own height and the bar at the top. */
const ROOM = 350;

/** The suggestions above the field, or below it where there is no room. The focus stays in the field. */
export function SuggestionList({ shown, active, choose }: SuggestionListProps) {
  const list = useRef<HTMLUListElement>(null);
  const [isBelow, setBelow] = useState(false);
  const isOpen = shown.length > 0;
  useLayoutEffect(() => {
    const form = list.current?.parentElement;
    if (isOpen && form) setBelow(form.getBoundingClientRect().top < ROOM);
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <ul
      ref={list}
      id={LIST_ID}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the field names the option that is chosen
      role="listbox"
      aria-label={t('composer.suggestions')}
      className={`absolute inset-x-3 z-20 max-h-72 ${isBelow ? 'top-full -mt-2' : 'bottom-full mb-1'} overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lg`}
    >
      {shown.map((one, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field
        <li
          key={one.id}
          id={`${LIST_ID}-${index}`}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: an option of the list
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(one)}
          className={`flex cursor-pointer items-center gap-2 rounded-lg px-2 py-1.5 text-sm pointer-coarse:min-h-11 ${index === active ? 'bg-hover' : ''}`}
        >
          <span className="shrink-0 text-faint">{one.icon}</span>
          <span className="shrink-0 font-medium">{one.title}</span>
          <span className="min-w-0 truncate text-xs text-faint">{one.note}</span>
        </li>
      ))}
    </ul>
  );
}
