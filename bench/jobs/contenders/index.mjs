import { bullmq } from './bullmq.mjs';
import { graphile, graphileBatched } from './graphile-worker.mjs';
import { nexus } from './nexus.mjs';
import { pgBoss, pgBossBatched } from './pg-boss.mjs';

/**
 * The contenders, in the order of every run.
 *
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {string} [package] The peer's npm package; absent for Nexus itself.
 * @property {{ bulkSize: number, mostJobs?: number }} settings How it is configured, for the record: among others, how
 *   many jobs a bulk enqueue takes, and how many are measured at most where 50,000 would take an hour.
 * @property {object} keeps What is left in the database when a job is over, and what a job can be given.
 * @property {string} unfinished SQL that answers whether any job has yet to be completed.
 * @property {(connection: object) => Promise<void>} install Makes its tables in an empty database.
 * @property {(connection: object) => Promise<Session>} open
 *
 * @typedef {object} Session
 * @property {(payloads: object[], options?: { delaySeconds?: number }) => Promise<void>} enqueueMany
 * @property {(payload: object) => Promise<void>} enqueueOne Resolves when the job is committed.
 * @property {(handler: (payload: object) => void) => Promise<void>} work
 * @property {() => Promise<void>} close
 *
 * @type {Contender[]}
 */
export const CONTENDERS = [nexus, graphileBatched, pgBossBatched, graphile, pgBoss, bullmq];
