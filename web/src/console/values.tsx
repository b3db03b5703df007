import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createStore, useStore } from '../api/store.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { exactTime } from '../ui/dates.ts';
import { Badge, type BadgeTone } from '../ui/states.tsx';
import type { Filters } from './filters.tsx';
import { distance, shortId } from './format.ts';

interface ConsoleLinkProps {
  /** Below /app/console/. */
  to: string;
  search?: Filters;
  className?: string;
  title?: string;
  children: ReactNode;
}

/** A link to a page of the console. These pages are not in the router's types. */
export function ConsoleLink({ to, search = {}, children, ...rest }: ConsoleLinkProps) {
  return (
    <Link to={`/console/${to}` as string} search={search as never} {...rest}>
      {children}
    </Link>
  );
}

const TONES: Record<string, BadgeTone> = {
  queued: 'plain',
  running: 'accent',
  retry_wait: 'amber',
  succeeded: 'accent',
  failed: 'danger',
  cancelled: 'plain',
  interrupted: 'amber',
  pending: 'amber',
  delivered: 'accent',
  completed: 'accent',
  enabled: 'accent',
  disabled: 'danger',
  failing: 'amber',
};

const LABELS: Record<string, string> = { retry_wait: 'waiting to retry' };

export const statusLabel = (status: string) => LABELS[status] ?? status;

export function StatusBadge({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{statusLabel(status)}</Badge>;
}

const TICK_MS = 5000;

const clock = createStore(Date.now(), () => {
  const ticking = setInterval(() => clock.set(Date.now()), TICK_MS);
  return () => clearInterval(ticking);
});

/** The current time, updated every few seconds while it is shown. */
export const useNow = (): number => useStore(clock);

/** A relative time, such as "5 min ago", with the exact time as its tooltip. */
export function Time({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return <span className="muted">never</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className="nowrap">
      {distance(now - Date.parse(at))}
    </time>
  );
}

/** Shows JSON or text, with a copy button. */
export function JsonView({ label, value }: { label: string; value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <figure className="console-code" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be focusable */}
      <pre tabIndex={0}>{text}</pre>
      <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
    </figure>
  );
}

/** The first cell of a row: the name of a job or an event, and the end of its id. */
export function RowLink({ to, name, id }: { to: string; name: string; id: string }) {
  return (
    <ConsoleLink to={`${to}/${id}`} className="console-row-link" title={id}>
      {name} <span className="mono muted console-row-id">{shortId(id)}</span>
    </ConsoleLink>
  );
}

interface JsonSectionProps {
  title: string;
  label?: string;
  value: unknown;
}

export function JsonSection({ title, label = title, value }: JsonSectionProps) {
  return (
    <section>
      <h2 className="section-title">{title}</h2>
      <JsonView label={label} value={value} />
    </section>
  );
}

/** The status and the id of a job or an event, below its title. */
export function StatusAndId({ status, id }: { status: string; id: string }) {
  return (
    <span className="row">
      <StatusBadge status={status} />
      <Code>{id}</Code>
      <CopyButton text={id} label="Copy ID" />
    </span>
  );
}

export function Code({ children }: { children: ReactNode }) {
  return <code className="mono">{children}</code>;
}

/** The last error of a job or an event. */
export function LastError({ code, text }: { code?: string | null; text: string | null }) {
  if (!code && !text) return null;
  return (
    <section className="console-notice console-notice-danger" aria-label="Last error">
      <h2 className="section-title">Last error</h2>
      <p className="console-error-text">
        {code && <b>{code}</b>}
        {code && text && ': '}
        {text}
      </p>
    </section>
  );
}

/** An error in a cell of a table, on one line. */
export function CellError({ code, text }: { code?: string | null; text: string | null }) {
  if (!code && !text) return null;
  return (
    <span className="console-cell-error" title={text ?? undefined}>
      {code && <b>{code} </b>}
      {text}
    </span>
  );
}

/** A list of names and values. Empty values are hidden. */
export function Facts({ facts }: { facts: Record<string, ReactNode> }) {
  return (
    <dl className="console-facts">
      {Object.entries(facts)
        .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface StatProps {
  label: string;
  /** Undefined while loading. */
  value: ReactNode;
  note?: ReactNode;
  tone?: 'amber' | 'danger' | false | undefined;
}

export function Stat({ label, value, note, tone }: StatProps) {
  return (
    <div className={`card console-stat console-stat-${tone || 'plain'}`}>
      <div className="console-stat-label">{label}</div>
      <div className="console-stat-value">{value ?? '…'}</div>
      {note && <div className="console-stat-note">{note}</div>}
    </div>
  );
}
