import { QueryClientProvider } from '@tanstack/react-query';
import { FileQuestion } from 'lucide-react';
import { lazy, StrictMode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { base } from './api/base.ts';
import { queryClient } from './api/queries.ts';
import { t } from './words/words.ts';
import './index.css';
import { Shell } from './shell/shell.tsx';
import { followSystemTheme } from './state/theme.ts';
import { ThreadsScreen } from './threads/threads-screen.tsx';
import { buttonLook } from './ui/button.tsx';
import { Empty, Loading, ScreenGuard } from './ui/states.tsx';

const ConversationScreen = lazy(() => import('./conversation/conversation-screen.tsx'));
const SessionScreen = lazy(() => import('./session/session-screen.tsx'));
const GraphScreen = lazy(() => import('./graph/graph-screen.tsx'));
const CompareScreen = lazy(() => import('./compare/compare-screen.tsx'));
const RecordingsScreen = lazy(() => import('./recordings/recordings-screen.tsx'));
const CassettesScreen = lazy(() => import('./recordings/cassettes-screen.tsx'));
const UsageScreen = lazy(() => import('./usage/usage-screen.tsx'));
const SettingsScreen = lazy(() => import('./settings/settings-screen.tsx'));

/** The screens and their addresses. */
function App() {
  const [place] = useLocation();
  return (
    <Shell>
      <ScreenGuard place={place}>
        <Suspense fallback={<Loading />}>
          <Switch>
            <Route path="/" component={ThreadsScreen} />
            <Route path="/new">{() => <ConversationScreen />}</Route>
            <Route path="/t/:thread/:node?">
              {({ thread, node }) => <ConversationScreen thread={thread} {...(node && { node })} />}
            </Route>
            <Route path="/s/:thread">{({ thread }) => <SessionScreen thread={thread} />}</Route>
            <Route path="/c/:node">{({ node }) => <ConversationScreen node={node} />}</Route>
            <Route path="/graph/:node?">{({ node }) => <GraphScreen {...(node && { below: node })} />}</Route>
            <Route path="/compare" component={CompareScreen} />
            <Route path="/recordings/cassettes" component={CassettesScreen} />
            <Route path="/recordings/:id?">{({ id }) => <RecordingsScreen {...(id && { id })} />}</Route>
            <Route path="/usage" component={UsageScreen} />
            <Route path="/settings" component={SettingsScreen} />
            <Route>
              <h1 className="sr-only">{t('shell.not-found')}</h1>
              <Empty title={t('shell.not-found-title')} icon={<FileQuestion size={20} />}>
                <p>{t('shell.not-found-about')}</p>
                <p className="mt-4">
                  <Link href="/" className={buttonLook('plain')}>
                    {t('ui.gone-back')}
                  </Link>
                </p>
              </Empty>
            </Route>
          </Switch>
        </Suspense>
      </ScreenGuard>
    </Shell>
  );
}

followSystemTheme();

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Router base={base}>
        <App />
      </Router>
    </QueryClientProvider>
  </StrictMode>,
);
