import { startEmulator } from '@skein/emulator';
import { say } from '../output/output.ts';
import { untilInterrupted } from '../world/until-interrupted.ts';

/** Strict stand-ins for the providers, until Ctrl+C. */
export async function emulate({
  port,
  brain,
}: {
  readonly port: number;
  readonly brain: 'demo' | 'echo';
}): Promise<void> {
  const emulator = await startEmulator({ port, brain });
  say('Strict stand-ins for the providers. Any key is accepted. Ctrl+C ends them.');
  say(`  OPENAI_BASE_URL=${emulator.baseUrl('openai-chat')}`);
  say(`  ANTHROPIC_BASE_URL=${emulator.baseUrl('anthropic-messages')}`);
  say(`  GOOGLE_GEMINI_BASE_URL=${emulator.baseUrl('google-generatecontent')}`);
  await untilInterrupted();
  await emulator.close();
}
