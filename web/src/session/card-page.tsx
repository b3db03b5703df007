import './card-page.css';
import type { ComponentProps, ReactNode } from 'react';
import { ApiError, errorMessage } from '../api/client.ts';
import { Logo } from '../shell/logo.tsx';
import { TextField } from '../ui/field.tsx';

/** A page with a card, outside of the shell: sign-in, first steps, saving a link. */
export function CardPage({ title, lead, children }: { title: string; lead?: string; children: ReactNode }) {
  return (
    <main className="card-page">
      <div className="card-page-brand">
        <Logo size={48} />
        <h1 className="card-page-name">{title}</h1>
        {lead && <p className="page-lead">{lead}</p>}
      </div>
      <div className="card-page-card">{children}</div>
    </main>
  );
}

export function UsernameField(props: Partial<ComponentProps<typeof TextField>>) {
  return (
    <TextField
      label="Username"
      name="username"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      required
      {...props}
    />
  );
}

export function NewPasswordField({ label, name }: { label: string; name: string }) {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autoComplete="new-password"
      minLength={10}
      hint="At least 10 characters."
      required
    />
  );
}

export function FormError({ error }: { error: unknown }) {
  if (!error) return null;
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : undefined;
  return (
    <p className="form-error" role="alert">
      {errorMessage(error)}
      {requestId && <span className="mono"> ({requestId})</span>}
    </p>
  );
}
