// @ts-nocheck: runs in a browser.
/** A page as the documentation of the AI SDK writes it: `useChat`, approvals, a tool of the page, resuming and stopping. */
import { useChat } from '@ai-sdk/react';
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'ai';
import { createElement as h } from 'react';
import { createRoot } from 'react-dom/client';

const id = new URL(location.href).searchParams.get('chat');
const PIXEL = { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' };

function Page({ stored }) {
  const chat = useChat({
    id,
    messages: stored,
    resume: true,
    transport: new DefaultChatTransport({ api: '/api/chat' }),
    sendAutomaticallyWhen: (at) =>
      lastAssistantMessageIsCompleteWithToolCalls(at) || lastAssistantMessageIsCompleteWithApprovalResponses(at),
    onToolCall({ toolCall }) {
      if (toolCall.toolName === 'get_place')
        void chat.addToolOutput({ tool: 'get_place', toolCallId: toolCall.toolCallId, output: { city: 'Oslo' } });
    },
  });
  const { messages, status, error, sendMessage, regenerate, stop, addToolApprovalResponse } = chat;
  // For the test: what a user does.
  window.chat = {
    send: (text, withFile) => void sendMessage({ text, ...(withFile && { files: [PIXEL] }) }),
    edit: (text) => void sendMessage({ text, messageId: messages.find(({ role }) => role === 'user').id }),
    regenerate: () => void regenerate(),
    decide: (approved) => {
      const part = messages.at(-1).parts.find(({ state }) => state === 'approval-requested');
      void addToolApprovalResponse({ id: part.approval.id, approved });
    },
    async stop() {
      await fetch(`/api/chat/${id}/stream`, { method: 'DELETE' });
      await stop();
    },
  };
  const shown = messages.map(({ id: key, role, parts }) =>
    h('p', { key }, `${role}: `, parts.map(show).filter(Boolean).join(' | ')),
  );
  return h('main', null, h('div', { id: 'status' }, status), h('div', { id: 'error' }, error?.message), ...shown);
}

function show(part) {
  if (part.type === 'text') return part.text;
  if (part.type === 'file') return `[${part.mediaType}]`;
  if (!part.type.startsWith('tool-')) return '';
  return `${part.type}(${part.state}${part.output === undefined ? '' : ` ${JSON.stringify(part.output)}`})`;
}

const { messages } = await (await fetch(`/api/chat/${id}`)).json();
createRoot(document.body).render(h(Page, { stored: messages }));
