import type * as events from '../../../src/contract/events.ts';
import type * as identity from '../../../src/contract/identity.ts';
import type * as jobs from '../../../src/contract/jobs.ts';
import type * as libraries from '../../../src/contract/libraries.ts';
import type * as operations from '../../../src/contract/operations.ts';
import type * as session from '../../../src/contract/session.ts';
import type * as webhooks from '../../../src/contract/webhooks.ts';
import type { Wire } from '../api/types.ts';

export type { EventType } from '../../../src/contract/events.ts';
export type { JobStatus } from '../../../src/contract/jobs.ts';

export type Job = Wire<typeof jobs.job>;
export type JobSummary = Wire<typeof jobs.jobSummary>;
export type JobAttempt = Wire<typeof jobs.jobAttempt>;
export type JobFailure = Wire<typeof jobs.jobFailure>;
export type JobsChanged = Wire<typeof jobs.jobsChanged>;
export type QueueStats = Wire<typeof jobs.queueStats>;
export type Throughput = Wire<typeof jobs.throughput>;
export type QueueThroughput = Wire<typeof jobs.queueThroughput>;
export type Worker = Wire<typeof jobs.worker>;

export type Backfill = Wire<typeof libraries.listedBackfillJob>;
export type BackfillHealth = Wire<typeof libraries.backfillHealth>;
export type RequeuedBackfill = Wire<typeof libraries.requeuedBackfillJob>;

export type OutboxEvent = Wire<typeof events.outboxEvent>;
export type OutboxEventWithDeliveries = Wire<typeof events.outboxEventWithDeliveries>;
export type OutboxHealth = Wire<typeof events.outboxHealth>;

export type Webhook = Wire<typeof webhooks.webhook>;
export type CreatedWebhook = Wire<typeof webhooks.createdWebhook>;
export type RotatedSecret = Wire<typeof webhooks.rotatedSecret>;
export type LoggedDelivery = Wire<typeof webhooks.loggedDelivery>;

export type AuditEntry = Wire<typeof operations.auditEntry>;

export type User = Wire<typeof identity.user>;
export type UserList = Wire<typeof identity.userList>;
export type SignInLink = Wire<typeof session.createdSignInLink>;
