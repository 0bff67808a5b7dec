/** The keys that end the demo first; until then a stand-in answers for the providers that read them. */
export const DEMO_VARIABLES = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] as const;
