import type { RegisteredRoute } from '../http/access.ts';
import type { HttpServer } from '../http/http-server.ts';
import type { NameSource } from '../platform/audit/names.ts';
import type { Database } from '../platform/database/database.ts';
import type { Listener } from '../platform/database/listener.ts';
import type { Egress } from '../platform/egress/egress.ts';
import type { IntegrityCheck } from '../platform/integrity/check.ts';
import type { JobType } from '../platform/jobs/job-type.ts';
import type { Periodic } from '../platform/jobs/periodic/periodic.ts';
import type { JobQueue } from '../platform/jobs/queue.ts';
import type { Subscriber } from '../platform/outbox/subscriber.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Logger } from '../platform/telemetry/logger.ts';
import type { MetricSource, Metrics } from '../platform/telemetry/metrics.ts';
import type { WorkSource } from '../platform/work/source.ts';

/** The parts of the platform that features take as they need them. */
export interface Platform {
  sql: Database;
  log: Logger;
  queue: JobQueue;
  listener: Listener;
  storage: Storage;
  egress: Egress;
  metrics: Metrics;
  /** The integrity checks of every feature. It is complete once all features are created, so before any audit runs. */
  checks: readonly IntegrityCheck[];
  /** The names for the audit log, from every feature. Complete like `checks`. */
  names: readonly NameSource[];
}

/** Everything that one feature contributes to Nexus. `app/nexus.ts` collects the contributions of all. */
export interface Feature {
  name: string;
  /** Given to the features that come after this one. Their names are unique across all features. */
  services?: object;
  /** Registers its routes under `/api/v1`. `registered` lists the routes of all features, once all are there. */
  routes?(api: HttpServer, registered: RegisteredRoute[]): void;
  /** Registers routes outside the API, which only the web app uses. */
  appRoutes?(server: HttpServer): void;
  // biome-ignore lint/suspicious/noExplicitAny: job types of every payload
  jobTypes?: JobType<any>[];
  periodic?: Periodic[];
  /** Checks of the integrity audit, in the order in which they run. */
  checks?: IntegrityCheck[];
  /** Names its things in the audit log. */
  names?: NameSource;
  // biome-ignore lint/suspicious/noExplicitAny: subscribers to events of every type
  subscribers?: Subscriber<any>[];
  metrics?: MetricSource[];
  /** Work that every worker does besides jobs. */
  workSources?: WorkSource[];
  /** Runs at each start of `nexus serve`, before it listens. */
  onStart?(): Promise<void>;
  /** Called when the HTTP server stops taking requests, so that long answers end. */
  onDrain?(): void;
  close?(): Promise<void>;
}
