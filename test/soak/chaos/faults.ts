import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../../crash/jobs/crew.ts';
import { type Fleet, patiently } from '../../support/fleet.ts';
import type { NexusProcess } from '../../support/nexus-process.ts';
import type { Reply } from '../../support/webhook-receiver.ts';
import { type Chance, pickByWeight, type Weighted } from './pick.ts';

type Fault = Weighted<() => Promise<unknown>>;

/** A process that starts while the database leaves exits, and is started again, as a supervisor does. */
const START_MS = 300_000;

interface FaultsOptions {
  fleet: Fleet;
  leaseSeconds: number;
  seed: number;
  /** Sets how the receiver of the webhook answers. */
  answerWith(reply: Reply): void;
}

/** Causes faults of processes, of PostgreSQL and of the webhook's receiver, in three parallel sequences. */
export function createFaults({ fleet, leaseSeconds, seed, answerWith }: FaultsOptions) {
  const happened = new Map<string, number>();
  const sequence = (number: number) => random(seed * 31 + number);

  function processFaults(chance: Chance): Fault[] {
    const replace = async <P extends NexusProcess>(
      processes: P[],
      start: () => Promise<P>,
      signal: NodeJS.Signals,
    ) => {
      const index = Math.floor(chance() * processes.length);
      await processes[index]?.stop(signal);
      processes[index] = await patiently(start, START_MS);
    };
    const freeze = async (processes: NexusProcess[]) => {
      const child = processes[Math.floor(chance() * processes.length)]?.child;
      child?.kill('SIGSTOP');
      await pause((0.5 + chance() * 2) * leaseSeconds * 1000);
      child?.kill('SIGCONT');
    };
    const { servers, workers, startServer, startWorker } = fleet;
    return [
      ['a worker was killed', 6, () => replace(workers, startWorker, 'SIGKILL')],
      ['a worker was stopped', 2, () => replace(workers, startWorker, 'SIGTERM')],
      ['a worker was frozen', 4, () => freeze(workers)],
      ['a server was killed', 5, () => replace(servers, startServer, 'SIGKILL')],
      ['a server was stopped', 2, () => replace(servers, startServer, 'SIGTERM')],
      ['a server was frozen', 4, () => freeze(servers)],
    ];
  }

  function databaseFaults(chance: Chance): Fault[] {
    const outage = async () => {
      await fleet.postgres.stop();
      await pause(500 + chance() * 4500);
      await fleet.postgres.start();
    };
    const endConnections = (share: number) =>
      patiently(async () => {
        await fleet.sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where pid <> pg_backend_pid() and datname is not null and random() < ${share}`;
      });
    return [
      ['PostgreSQL was restarted', 2, () => fleet.postgres.restart('fast')],
      ['PostgreSQL crashed', 3, () => fleet.postgres.restart('immediate')],
      ['PostgreSQL was away for seconds', 2, outage],
      ['some connections were ended', 8, () => endConnections(0.3)],
      ['all connections were ended', 2, () => endConnections(1)],
    ];
  }

  function receiverFaults(chance: Chance): Fault[] {
    const answer = (reply: Reply) => async () => {
      answerWith(reply);
      await pause(1000 + chance() * 5000);
      answerWith({ status: 204 });
    };
    return [
      ['the receiver answered 500', 2, answer({ status: 500 })],
      ['the receiver did not answer', 1, answer('hang')],
      ['the receiver closed connections', 2, answer('close')],
    ];
  }

  async function run(faults: Fault[], chance: Chance, until: number, longestPauseMs: number): Promise<void> {
    for (;;) {
      await pause((0.25 + chance() * 0.75) * longestPauseMs);
      if (performance.now() > until) return;
      const [name, , happen] = pickByWeight(faults, chance);
      await happen();
      happened.set(name, (happened.get(name) ?? 0) + 1);
    }
  }

  return {
    happened,
    /** Causes faults until that time. Afterwards every process runs and PostgreSQL answers. */
    async until(end: number): Promise<void> {
      const [processes, database, receiver] = [sequence(1), sequence(2), sequence(3)];
      await Promise.all([
        run(processFaults(processes), processes, end, 4000),
        run(databaseFaults(database), database, end, 8000),
        run(receiverFaults(receiver), receiver, end, 20_000),
      ]);
    },
  };
}
