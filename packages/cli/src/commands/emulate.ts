import { startEmulator } from '@skein/emulator';
import { untilInterrupted } from '../context/command-context.ts';
import { say } from '../output/output.ts';

/** Strict stand-ins for the providers, until Ctrl+C. */
export async function emulate({
  port,
  brain,
  strict,
}: {
  readonly port: number;
  readonly brain: 'demo' | 'echo';
  readonly strict?: 'unknown';
}): Promise<void> {
  const emulator = await startEmulator({ port, brain, settings: { refuseUnknown: strict === 'unknown' } });
  say('Strict stand-ins for the providers. Any key is accepted. Ctrl+C ends them.');
  for (const [name, value] of Object.entries(emulator.env())) if (name.endsWith('_BASE_URL')) say(`  ${name}=${value}`);
  await untilInterrupted();
  await emulator.close();
}
