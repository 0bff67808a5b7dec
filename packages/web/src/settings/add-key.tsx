import { CodeLine } from '../ui/copy-button.tsx';
import { t } from '../words/words.ts';

/** The keys of the providers for which a stand-in answers in demo mode. Setting one of them ends the demo. */
export const DEMO_VARIABLES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] as const;

/** How a provider gets its key: from the environment of the server, never through the page. */
export function AddKey() {
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="text-soft">{t('settings.add-key')}</p>
      {DEMO_VARIABLES.map((name) => (
        <CodeLine key={name} text={`export ${name}=…`} label={t('settings.add-key-copy', { name })} />
      ))}
    </div>
  );
}
