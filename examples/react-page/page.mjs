// @ts-nocheck: runs in a browser.
/** A small chat with @skein/react. The address names the conversation, and `?route` uses a route of one's own. */
import { httpTransport, routeTransport, useConversation } from '@skein/react';
import { createElement as h, StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';

const query = new URL(location.href).searchParams;
const route = query.get('route');
const transport = route
  ? routeTransport({ url: route })
  : httpTransport({ request: { model: 'anthropic/claude-opus-5-5', tools: ['wait', 'drop'] } });

function Page() {
  const conversation = useConversation({ id: query.get('id') ?? undefined, transport });
  const { id, messages, status, pending, error, send, edit, regenerate, resume, show, stop } = conversation;
  useEffect(() => {
    if (!id) return;
    query.set('id', id);
    history.replaceState(null, '', `?${query}`);
  }, [id]);
  const submit = (event) => {
    event.preventDefault();
    void send(new FormData(event.target).get('text'));
    event.target.reset();
  };
  const button = (label, onClick) => h('button', { key: label, type: 'button', onClick }, label);
  const row = ({ id: key, role, blocks, siblings, isLive }) => {
    const at = siblings.indexOf(key);
    return h(
      'article',
      { key, className: role },
      h('p', null, `${role}: ${blocks.map(toText).join(' | ')}`),
      siblings.length > 1 && h('small', null, `${at + 1} of ${siblings.length}`),
      at > 0 && button('Previous', () => show(siblings[at - 1])),
      at + 1 < siblings.length && button('Next', () => show(siblings[at + 1])),
      role === 'assistant' && !isLive && button('Again', () => regenerate(key)),
      role === 'user' && button('Edit', () => edit(key, prompt('Another text'))),
    );
  };
  const call = ({ id: key, name, rawParameters }) =>
    h(
      'div',
      { key, className: 'call' },
      `${name} ${rawParameters} `,
      button('Approve', () => resume({ [key]: 'approve' })),
      button('Deny', () => resume({ [key]: { deny: 'The user refused.' } })),
    );
  return h(
    'main',
    null,
    messages.map(row),
    pending.map(call),
    h('output', null, status),
    error && h('div', { role: 'alert' }, error.message),
    status === 'streaming' && button('Stop', stop),
    status === 'stopped' && button('Continue', () => resume()),
    h(
      'form',
      { onSubmit: submit },
      h('input', { name: 'text', 'aria-label': 'Message' }),
      h('button', { type: 'submit' }, 'Send'),
    ),
  );
}

function toText(block) {
  if (block.type === 'tool-use') return `${block.name}(${block.rawParameters})`;
  if (block.type === 'tool-result') return `→ ${block.content.map(toText).join(' ')}`;
  return block.text ?? block.type;
}

createRoot(document.getElementById('root')).render(h(StrictMode, null, h(Page)));
