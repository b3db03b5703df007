import type { Listener } from '../database/listener.ts';
import type { TakeBack } from './recovery.ts';
import type { Registration } from './registration.ts';

/** The worker that does the work of a source: all its sources share one registration. */
export interface SourceWorker {
  registration: Registration;
  listener: Listener;
  leaseSeconds: number;
  pollSeconds: number;
}

/** A kind of durable work that workers do beside jobs. */
export interface WorkSource {
  start(worker: SourceWorker): RunningSource;
  takeBack: TakeBack;
}

export interface RunningSource {
  /** There may be work. */
  wake(): void;
  /** Resolves to whether claims may be left, which end with the lease. */
  stop(graceSeconds: number): Promise<boolean>;
}
