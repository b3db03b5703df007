import type { ComponentType } from 'react';
import type { Role } from '../api/types.ts';
import type { Filters } from './filters.tsx';
import { AUDIT_FILTERS, JOB_FILTERS, OUTBOX_FILTERS, SECTIONS } from './sections.ts';

/** Reads the named search params as strings. The router would parse `404` as a number. */
function readFilters(...names: string[]) {
  return (search: Record<string, unknown>): Filters =>
    Object.fromEntries(
      names
        .filter((name) => search[name] !== undefined && search[name] !== '')
        .map((name) => [name, String(search[name])]),
    );
}

interface ConsolePage {
  /** Below /app/console/, in the router's own syntax: `jobs`, `jobs/$jobId`. */
  path: string;
  load: () => Promise<{ default: ComponentType }>;
  minimumRole: Role;
  validateSearch?: (search: Record<string, unknown>) => Record<string, unknown>;
}

/** All pages of the console. */
export const CONSOLE_PAGES: readonly ConsolePage[] = [
  { ...SECTIONS.overview, load: () => import('./overview-page.tsx') },
  {
    ...SECTIONS.jobs,
    load: () => import('./jobs/jobs-page.tsx'),
    validateSearch: readFilters('view', 'window', ...JOB_FILTERS),
  },
  { ...SECTIONS.jobs, path: 'jobs/$jobId', load: () => import('./jobs/job-page.tsx') },
  { ...SECTIONS.workers, load: () => import('./workers-page.tsx') },
  {
    ...SECTIONS.backfill,
    load: () => import('./backfill-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...SECTIONS.outbox,
    load: () => import('./outbox/outbox-page.tsx'),
    validateSearch: readFilters(...OUTBOX_FILTERS),
  },
  { ...SECTIONS.outbox, path: 'outbox/$eventId', load: () => import('./outbox/event-page.tsx') },
  { ...SECTIONS.webhooks, load: () => import('./webhooks/webhooks-page.tsx') },
  {
    ...SECTIONS.webhooks,
    path: 'webhooks/$webhookId',
    load: () => import('./webhooks/webhook-page.tsx'),
    validateSearch: readFilters('status'),
  },
  {
    ...SECTIONS.integrity,
    load: () => import('./integrity-page.tsx'),
    validateSearch: readFilters('job'),
  },
  {
    ...SECTIONS.audit,
    load: () => import('./audit-page.tsx'),
    validateSearch: readFilters(...AUDIT_FILTERS),
  },
  {
    ...SECTIONS.people,
    load: () => import('./people/people-page.tsx'),
    validateSearch: readFilters('view', 'user_id'),
  },
];
