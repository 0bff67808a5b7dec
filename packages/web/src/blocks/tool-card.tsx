import { CircleCheck, CircleX, Clock, LoaderCircle, Wrench } from 'lucide-react';
import type { Block, ToolResult, ToolUse } from '../api/types.ts';
import { t } from '../words/words.ts';
import { CodeBlock } from './code-block.tsx';
import { Foldable } from './fold.tsx';
import { useFold } from './folds.ts';
import { isJson, looksLikeJson, prettyJson, unknownText } from './json-text.ts';
import { MediaBlock } from './media-block.tsx';
import { summarizeCall, summarizeResult } from './summary.ts';
import { UnknownBlock } from './unknown-block.tsx';

interface ToolCardProps {
  readonly node: string;
  readonly place: number;
  readonly call: ToolUse;
  readonly result?: ToolResult;
  /** The arguments are still arriving, or the tool is running. */
  readonly state?: 'writing' | 'running';
}

/** A tool call and its result in one card. */
export function ToolCard({ node, place, call, result, state }: ToolCardProps) {
  const [isOpen, toggle] = useFold(node, place);
  return (
    <Foldable
      label={t('blocks.tool-call', { name: call.name })}
      isOpen={isOpen}
      onToggle={toggle}
      {...(result?.isError && { tone: 'danger' as const })}
      summary={
        <>
          <Wrench size={14} aria-hidden className="shrink-0 text-tool" />
          <span className="shrink-0 font-mono font-medium text-ink">{call.name}</span>
          <span className="min-w-12 shrink truncate font-mono text-faint">{summarizeCall(call)}</span>
          <Outcome {...(result && { result })} {...(state && { state })} />
        </>
      }
    >
      <CallArguments call={call} label={t('blocks.arguments')} />
      {result && (
        <div className="border-t border-line">
          <ResultContent content={result.content} isError={result.isError} />
        </div>
      )}
    </Foldable>
  );
}

/** The arguments of a call as indented JSON. */
export function CallArguments({
  call,
  label,
}: {
  readonly call: Pick<ToolUse, 'rawParameters'>;
  readonly label: string;
}) {
  return <CodeBlock bare code={prettyJson(call.rawParameters)} language="json" label={label} />;
}

function Outcome({ result, state }: Pick<ToolCardProps, 'result' | 'state'>) {
  if (result)
    return (
      <span className={`flex min-w-16 grow items-center gap-1.5 ${result.isError ? 'text-danger' : 'text-ink'}`}>
        <span aria-hidden>→</span>
        {result.isError ? (
          <CircleX size={14} aria-label={t('blocks.call-failed')} className="shrink-0" />
        ) : (
          <CircleCheck size={14} aria-label={t('blocks.call-done')} className="shrink-0 text-ok" />
        )}
        <span className="min-w-0 flex-1 basis-20 truncate">{summarizeResult(result)}</span>
      </span>
    );
  if (state)
    return (
      <span role="status" className="flex shrink-0 items-center gap-1.5 text-accent">
        <LoaderCircle size={14} aria-hidden className="animate-spin" />
        {state === 'running' ? t('blocks.call-running') : t('blocks.call-writing')}
      </span>
    );
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-warn">
      <Clock size={14} aria-hidden />
      {t('blocks.call-waiting')}
    </span>
  );
}

/** The result of a tool, block by block. */
export function ResultContent({ content, isError }: { readonly content: readonly Block[]; readonly isError: boolean }) {
  if (content.length === 0) return <p className="p-3 text-xs text-faint">{t('blocks.result-empty')}</p>;
  // biome-ignore lint/suspicious/noArrayIndexKey: the order of blocks never changes
  return content.map((block, index) => <ResultPart key={`${block.type}-${index}`} block={block} isError={isError} />);
}

function ResultPart({ block, isError }: { readonly block: Block; readonly isError: boolean }) {
  switch (block.type) {
    case 'text':
      return (
        <CodeBlock
          bare
          label={isError ? t('blocks.result-error') : t('blocks.result')}
          code={prettyJson(block.text)}
          {...(looksLikeJson(block.text) && isJson(block.text) && { language: 'json' })}
        />
      );
    case 'media':
      return (
        <div className="p-3">
          <MediaBlock {...block} />
        </div>
      );
    case 'reasoning':
    case 'refusal':
    case 'tool-use':
    case 'tool-result':
      return <UnknownBlock native={JSON.stringify(block)} />;
    case 'unknown':
      return <UnknownBlock native={block.native} />;
    default:
      return <UnknownBlock native={unknownText(block)} />;
  }
}
