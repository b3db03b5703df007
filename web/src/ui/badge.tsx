import './states.css';
import type { ReactNode } from 'react';

export type BadgeTone = 'plain' | 'accent' | 'amber' | 'danger' | 'solid';

export function Badge({ tone = 'plain', children }: { tone?: BadgeTone; children: ReactNode }) {
  return <span className={`badge ${tone === 'plain' ? '' : `badge-${tone}`}`}>{children}</span>;
}
