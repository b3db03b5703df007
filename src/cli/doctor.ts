import { access, constants, mkdir, statfs } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Config, describeConfig, parseConfig, readEnvironment } from '../app/config.ts';
import { openConfiguredDatabase } from '../app/database.ts';
import { pendingMigrations } from '../platform/database/migrator.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { print, printTable } from './output.ts';

const LEAST_FREE_BYTES = 1024 ** 3;
const MOST_CLOCK_DRIFT_MS = 5_000;

export function define(command: Command): void {
  command.action(async () => {
    const environment = readEnvironment();
    const config = parseConfig(environment);
    print('Configuration');
    printTable(
      ['VARIABLE', 'VALUE', ''],
      describeConfig(environment).map(({ name, value, isSet }) => [
        name,
        value || '-',
        isSet ? '' : 'default',
      ]),
    );
    for (const name of config.unknownVariables) print(`${name} is set, but Nexus knows no such variable.`);
    print('\nChecks');
    const checks = [...(await checkDataDirectory(config)), ...(await checkDatabase(config))];
    for (const { passed, says } of checks) print(`${passed ? 'ok    ' : 'FAILED'}  ${says}`);
    if (checks.some(({ passed }) => !passed)) process.exitCode = 1;
  });
}

interface Check {
  passed: boolean;
  says: string;
}

async function checkDataDirectory({ dataDir }: Config): Promise<Check[]> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const gibibytes = (free / 1024 ** 3).toFixed(1);
    return [
      { passed: true, says: `The data directory ${dataDir} can be written.` },
      { passed: free >= LEAST_FREE_BYTES, says: `${gibibytes} GiB are free on its disk.` },
    ];
  } catch (error) {
    const { message } = error as Error;
    return [{ passed: false, says: `The data directory ${dataDir} cannot be used: ${message}` }];
  }
}

async function checkDatabase(config: Config): Promise<Check[]> {
  const log = createLogger({ level: 'silent', format: 'json' });
  try {
    const database = await openConfiguredDatabase(config, { log, purpose: 'doctor', whenOwned: 'share' });
    try {
      const [row] = await database.sql<[{ version: string; now: Date }]>`
        select current_setting('server_version') as version, clock_timestamp() as now`;
      const drift = Math.abs(row.now.getTime() - Date.now());
      const pending = (await pendingMigrations(database.sql, database.migrations)).length;
      const schema =
        pending === 0 ? 'The schema is current.' : `${pending} migrations will run at the next start.`;
      return [
        { passed: true, says: `PostgreSQL ${row.version} answers: ${database.place}.` },
        { passed: drift < MOST_CLOCK_DRIFT_MS, says: `Its clock and this machine's differ by ${drift} ms.` },
        { passed: true, says: schema },
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    return [{ passed: false, says: (error as Error).message }];
  }
}
