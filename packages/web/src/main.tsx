import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { base } from './api/base.ts';
import { queryClient } from './api/queries.ts';
import { App } from './app.tsx';
import './index.css';
import { followSystemTheme } from './state/theme.ts';

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
