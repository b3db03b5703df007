import './entrance.css';
import type { ReactNode } from 'react';
import { ApiError, sentenceOf } from '../api/error.ts';
import { Logo } from '../shell/logo.tsx';

/** The page outside of the app: sign-in and first steps. */
export function Entrance({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <main className="entrance">
      <div className="entrance-brand">
        <Logo size={48} />
        <h1 className="entrance-name">{title}</h1>
        {lead && <p className="page-lead">{lead}</p>}
      </div>
      {children}
    </main>
  );
}

export function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined;
  return (
    <p className="form-error" role="alert">
      {sentenceOf(error)}
      {requestId && <span className="mono"> ({requestId})</span>}
    </p>
  );
}
