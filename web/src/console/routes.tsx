import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Role } from '../api/types.ts';
import { readFilters } from './filters.ts';
import { SECTIONS, type Section } from './sections.ts';

export interface ConsolePage {
  /** Below /app/console/, in the router's own syntax: `jobs`, `jobs/$jobId`. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  minimumRole: Role;
  /** The entry in the sidebar, if any. */
  nav?: { label: string; icon: LucideIcon };
  /** Reads the search params of the page. */
  validateSearch?: (search: Record<string, unknown>) => Record<string, unknown>;
}

const at = ({ path, minimumRole, label, icon }: Section) => ({ path, minimumRole, nav: { label, icon } });
const below = ({ path, minimumRole }: Section, rest: string) => ({ path: `${path}/${rest}`, minimumRole });

/** All pages of the console. The router and the sidebar use this list. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { ...at(SECTIONS.overview), load: () => import('./overview-page.tsx') },
  {
    ...at(SECTIONS.jobs),
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
  { ...below(SECTIONS.jobs, '$jobId'), load: () => import('./jobs/job-page.tsx') },
  { ...at(SECTIONS.workers), load: () => import('./workers-page.tsx') },
  {
    ...at(SECTIONS.backfill),
    load: () => import('./backfill-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...at(SECTIONS.outbox),
    load: () => import('./outbox/outbox-page.tsx'),
    validateSearch: readFilters('status', 'event_type', 'aggregate_type', 'aggregate_id'),
  },
  { ...below(SECTIONS.outbox, '$eventId'), load: () => import('./outbox/event-page.tsx') },
  { ...at(SECTIONS.webhooks), load: () => import('./webhooks/webhooks-page.tsx') },
  {
    ...below(SECTIONS.webhooks, '$webhookId'),
    load: () => import('./webhooks/webhook-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...at(SECTIONS.integrity),
    load: () => import('./integrity-page.tsx'),
    validateSearch: readFilters('job'),
  },
  {
    ...at(SECTIONS.audit),
    load: () => import('./audit-page.tsx'),
    validateSearch: readFilters('action', 'actor', 'minutes', 'created_after', 'created_before'),
  },
  {
    ...at(SECTIONS.people),
    load: () => import('./people/people-page.tsx'),
    validateSearch: readFilters('view', 'user_id'),
  },
];
