import './states.css';
import { CircleAlert, type LucideIcon, SearchX } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { ApiError, errorMessage } from '../api/client.ts';
import { Button } from './button.tsx';

export type BadgeTone = 'plain' | 'accent' | 'amber' | 'danger' | 'solid';

export function Badge({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={`badge ${tone === 'plain' ? '' : `badge-${tone}`}`}>{children}</span>;
}

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ icon: Icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <span className="empty-icon">
        <Icon size={24} aria-hidden />
      </span>
      <h2 className="empty-title">{title}</h2>
      {children && <p className="empty-text">{children}</p>}
      {actions && <div className="empty-actions">{actions}</div>}
    </div>
  );
}

interface ErrorStateProps {
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

interface SkeletonProps {
  width?: string;
  height?: string;
}

/** A placeholder in the size of the content that is loading. */
export function Skeleton({ width = '100%', height = '1rem' }: SkeletonProps) {
  return <span className="skeleton" style={{ width, height }} aria-hidden />;
}

const WIDTHS = ['94%', '100%', '97%', '62%'];

export function SkeletonText({ lines = 4 }: { lines?: number }) {
  return (
    <span aria-hidden>
      {Array.from({ length: lines }, (_, line) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key
          key={line}
          className="skeleton skeleton-line"
          style={{ width: WIDTHS[line % WIDTHS.length] }}
        />
      ))}
    </span>
  );
}

interface MoreButtonProps extends Pick<ComponentProps<typeof Button>, 'size'> {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}

/** Loads the next page of a list, if there is one. */
export function MoreButton({ list, ...look }: MoreButtonProps) {
  if (!list.hasNextPage) return null;
  return (
    <Button {...look} busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      Show more
    </Button>
  );
}

interface PendingProps {
  query: { data?: unknown; error: unknown; refetch: () => unknown };
  children: ReactNode;
}

/** The state of a query without data: loading, or its error with a Retry button. */
export function Pending({ query: { data, error, refetch }, children }: PendingProps) {
  if (data !== undefined) return null;
  if (!error) return children;
  return <ErrorState error={error} onRetry={() => void refetch()} />;
}
