import { Activity, type LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/types.ts';

export interface ConsolePage {
  /** Below /app/console/, in the router's own syntax: `jobs`, `jobs/$jobId`. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  minimumRole: Role;
  /** With it, the page stands in the sidebar. */
  nav?: { label: string; icon: LucideIcon };
  /** Makes the page's search parameters of what stands in the address. */
  validateSearch?: (search: Record<string, unknown>) => Record<string, unknown>;
}

/** Every page of the operator's console. The router and the sidebar read this list, and nothing else. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  {
    path: 'overview',
    load: () => import('./overview.tsx'),
    minimumRole: 'operator',
    nav: { label: 'Overview', icon: Activity },
  },
];
