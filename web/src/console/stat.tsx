import type { ReactNode } from 'react';

export interface StatProps {
  label: string;
  value: ReactNode;
  note?: ReactNode;
  tone?: 'plain' | 'amber' | 'danger';
}

/** A large figure with a label. */
export function Stat({ label, value, note, tone = 'plain' }: StatProps) {
  return (
    <div className={`card console-stat console-stat-${tone}`}>
      <div className="console-stat-label">{label}</div>
      <div className="console-stat-value">{value}</div>
      {note && <div className="console-stat-note">{note}</div>}
    </div>
  );
}
