import './states.css';
import { CircleAlert, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, sentenceOf } from '../api/error.ts';
import { Button } from './button.tsx';

export interface ErrorStateProps {
  error: unknown;
  /** Offers to try again. */
  onRetry?: (() => void) | undefined;
  /** Another way on, such as a link home. */
  children?: ReactNode;
}

/** What went wrong in a sentence, the id to find it in the log, and a way on. */
export function ErrorState({ error, onRetry, children }: ErrorStateProps) {
  const isGone = error instanceof ApiError && error.isGone;
  const Icon = isGone ? SearchX : CircleAlert;
  return (
    <div className={`empty-state ${isGone ? '' : 'empty-state-danger'}`} role="alert">
      <span className="empty-icon">
        <Icon size={24} aria-hidden />
      </span>
      <h2 className="empty-title">{isGone ? 'Nothing here' : 'That did not work'}</h2>
      <p className="empty-text">{sentenceOf(error)}</p>
      <div className="empty-actions">
        {onRetry && !isGone && <Button onClick={onRetry}>Try again</Button>}
        {children}
      </div>
      {error instanceof ApiError && error.requestId && !isGone && (
        <p className="request-id">
          Request <code className="mono">{error.requestId}</code>
        </p>
      )}
    </div>
  );
}
