// What a page bundles. Run by ../pack.test.ts.
import { dialect } from '@skein/core';

const reply = '{"role":"assistant","content":[{"type":"text","text":"Grüße"}]}';
export const said = () => dialect('anthropic-messages').readResponse(reply).message.text;
