import { AboutSection } from './about-section.tsx';
import { AgentSection } from './agent-section.tsx';
import { LookSection } from './look-section.tsx';
import { ModelSection } from './model-section.tsx';
import { ProviderSection } from './provider-section.tsx';
import { ToolSection } from './tool-section.tsx';

const PARTS = [
  { id: 'providers', title: 'Providers', Part: ProviderSection },
  { id: 'models', title: 'Models', Part: ModelSection },
  { id: 'agents', title: 'Agents', Part: AgentSection },
  { id: 'tools', title: 'Tools', Part: ToolSection },
  { id: 'look', title: 'Look and keys', Part: LookSection },
  { id: 'about', title: 'Store and server', Part: AboutSection },
] as const;

/** How the server is set up. It is changed in the environment and the configuration, never from the page. */
export default function SettingsScreen() {
  return (
    <div className="h-full overflow-y-auto">
      <div className="mx-auto flex max-w-3xl flex-col gap-8 p-4 sm:p-8">
        <header>
          <h1 className="text-xl font-semibold">Settings</h1>
          <p className="mt-1 text-soft">
            What this server works with. Keys come from its environment, the rest from its configuration file; neither
            can be changed, nor keys be read, from here.
          </p>
          <nav aria-label="Parts of the settings" className="mt-3 flex flex-wrap gap-1">
            {PARTS.map(({ id, title }) => (
              <a
                key={id}
                href={`#${id}`}
                className="rounded-full border border-line px-3 py-0.5 text-sm text-soft hover:bg-hover hover:text-ink"
              >
                {title}
              </a>
            ))}
          </nav>
        </header>
        {PARTS.map(({ id, title, Part }) => (
          <section key={id} id={id} aria-labelledby={`${id}-title`} className="scroll-mt-4">
            <h2 id={`${id}-title`} className="mb-2 text-base font-semibold">
              {title}
            </h2>
            <Part />
          </section>
        ))}
      </div>
    </div>
  );
}
