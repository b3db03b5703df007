import './states.css';
import { CircleAlert, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, errorMessage } from '../api/error.ts';
import { Button } from './button.tsx';

export interface ErrorStateProps {
  error: unknown;
  /** Shows a Retry button. */
  onRetry?: (() => void) | undefined;
  /** Other actions, such as a link home. */
  children?: ReactNode;
}

/** An error message with the request id and possible actions. */
export function ErrorState({ error, onRetry, children }: ErrorStateProps) {
  const isGone = error instanceof ApiError && error.isGone;
  const Icon = isGone ? SearchX : CircleAlert;
  return (
    <div className={`empty-state ${isGone ? '' : 'empty-state-danger'}`} role="alert">
      <span className="empty-icon">
        <Icon size={24} aria-hidden />
      </span>
      <h2 className="empty-title">{isGone ? 'Not found' : 'Something went wrong'}</h2>
      <p className="empty-text">{errorMessage(error)}</p>
      <div className="empty-actions">
        {onRetry && !isGone && <Button onClick={onRetry}>Retry</Button>}
        {children}
      </div>
      {error instanceof ApiError && error.requestId && !isGone && (
        <p className="request-id">
          Request ID <code className="mono">{error.requestId}</code>
        </p>
      )}
    </div>
  );
}
