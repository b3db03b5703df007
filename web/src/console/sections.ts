import {
  Activity,
  CloudDownload,
  Cpu,
  ListChecks,
  type LucideIcon,
  ScrollText,
  Send,
  ShieldCheck,
  Users,
  Webhook,
} from 'lucide-react';
import type { Role } from '../api/types.ts';
import { roleAllows } from '../session/session.ts';

interface Section {
  path: string;
  label: string;
  icon: LucideIcon;
  /** The shortcut within the console. */
  keys: string;
  minimumRole: Role;
}

/** The sections of the console, in the order of its navigation. */
export const SECTIONS = {
  overview: { path: 'overview', label: 'Overview', icon: Activity, keys: 'g o', minimumRole: 'operator' },
  jobs: { path: 'jobs', label: 'Jobs', icon: ListChecks, keys: 'g j', minimumRole: 'operator' },
  workers: { path: 'workers', label: 'Workers', icon: Cpu, keys: 'g k', minimumRole: 'operator' },
  backfill: {
    path: 'backfill',
    label: 'Backfill',
    icon: CloudDownload,
    keys: 'g b',
    minimumRole: 'operator',
  },
  outbox: { path: 'outbox', label: 'Outbox', icon: Send, keys: 'g e', minimumRole: 'operator' },
  webhooks: { path: 'webhooks', label: 'Webhooks', icon: Webhook, keys: 'g w', minimumRole: 'admin' },
  integrity: {
    path: 'integrity',
    label: 'Integrity',
    icon: ShieldCheck,
    keys: 'g y',
    minimumRole: 'operator',
  },
  audit: { path: 'audit', label: 'Audit', icon: ScrollText, keys: 'g a', minimumRole: 'admin' },
  people: { path: 'people', label: 'Users and keys', icon: Users, keys: 'g u', minimumRole: 'admin' },
} as const satisfies Record<string, Section>;

/** The sections that a person with this role may open. */
export const sectionsFor = (role: Role): Section[] =>
  Object.values(SECTIONS).filter(({ minimumRole }) => roleAllows(role, minimumRole));

/** Whether a person with this role may open the console. */
export const hasConsole = (role: Role): boolean => sectionsFor(role).length > 0;

/** The search params that filter the lists. */
export const JOB_FILTERS =
  'minutes status job_type queue created_by created_after created_before error error_code failure_id'.split(
    ' ',
  );
export const OUTBOX_FILTERS = ['status', 'event_type', 'aggregate_type', 'aggregate_id'];
export const AUDIT_FILTERS = ['action', 'actor', 'minutes', 'created_after', 'created_before'];
