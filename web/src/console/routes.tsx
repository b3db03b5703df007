import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/types.ts';
import { readFilters } from './filters.ts';
import { PLACES, type Place } from './places.ts';

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

const at = ({ path, minimumRole, label, icon }: Place) => ({ path, minimumRole, nav: { label, icon } });
const below = ({ path, minimumRole }: Place, rest: string) => ({ path: `${path}/${rest}`, minimumRole });

/** Every page of the operator's console. The router and the sidebar read this list, and nothing else. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { ...at(PLACES.overview), load: () => import('./overview-page.tsx') },
  {
    ...at(PLACES.jobs),
    load: () => import('./jobs/jobs-page.tsx'),
    validateSearch: readFilters(
      'view',
      'window',
      'minutes',
      'status',
      'job_type',
      'queue',
      'created_by',
      'created_after',
      'created_before',
      'error',
      'error_code',
      'failure_id',
    ),
  },
  { ...below(PLACES.jobs, '$jobId'), load: () => import('./jobs/job-page.tsx') },
  { ...at(PLACES.workers), load: () => import('./workers-page.tsx') },
  {
    ...at(PLACES.backfill),
    load: () => import('./backfill-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...at(PLACES.outbox),
    load: () => import('./outbox/outbox-page.tsx'),
    validateSearch: readFilters('status', 'event_type', 'aggregate_type', 'aggregate_id'),
  },
  { ...below(PLACES.outbox, '$eventId'), load: () => import('./outbox/event-page.tsx') },
  { ...at(PLACES.webhooks), load: () => import('./webhooks/webhooks-page.tsx') },
  {
    ...below(PLACES.webhooks, '$webhookId'),
    load: () => import('./webhooks/webhook-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...at(PLACES.integrity),
    load: () => import('./integrity-page.tsx'),
    validateSearch: readFilters('job'),
  },
  {
    ...at(PLACES.audit),
    load: () => import('./audit-page.tsx'),
    validateSearch: readFilters('action', 'actor', 'minutes', 'created_after', 'created_before'),
  },
  {
    ...at(PLACES.people),
    load: () => import('./people/people-page.tsx'),
    validateSearch: readFilters('view', 'user_id'),
  },
];
