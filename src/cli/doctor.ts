import { access, constants, mkdir, statfs } from 'node:fs/promises';
import type { Command } from 'commander';
import { type Config, describeConfig, parseConfig, readEnvironment } from '../app/config.ts';
import { openConfiguredDatabase } from '../app/database.ts';
import { pendingMigrations } from '../platform/database/migrator.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import {
  type Check,
  checkBackups,
  checkEgress,
  checkProxies,
  checkPublicUrl,
  checkSettings,
  checkStorage,
} from './doctor-checks.ts';
import { print, printTable } from './output.ts';

const LEAST_FREE_BYTES = 1024 ** 3;
const MOST_CLOCK_DRIFT_MS = 5_000;

export function define(command: Command): void {
  command.option('--offline', 'send no request to the internet').action(doctor);
}

async function doctor({ offline }: { offline?: true }): Promise<void> {
  const environment = readEnvironment();
  const config = parseConfig(environment);
  print('Configuration');
  printTable(
    ['VARIABLE', 'VALUE', ''],
    describeConfig(environment).map(({ name, value, isSet }) => [name, value || '-', isSet ? '' : 'default']),
  );
  for (const name of config.unknownVariables) print(`${name} is set, but Nexus knows no such variable.`);
  print('\nChecks');
  const checks = [
    ...(await checkDataDirectory(config)),
    ...(await checkStorage(config)),
    ...(await checkDatabase(config)),
    ...checkProxies(config),
    await checkPublicUrl(config),
    ...(offline ? [] : [await checkEgress(config)]),
  ];
  for (const { outcome, says } of checks) print(`${outcome.padEnd(7)}  ${says}`);
  if (checks.some(({ outcome }) => outcome === 'FAILED')) process.exitCode = 1;
}

async function checkDataDirectory({ dataDir }: Config): Promise<Check[]> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const gibibytes = (free / 1024 ** 3).toFixed(1);
    return [
      { outcome: 'ok', says: `The data directory ${dataDir} can be written.` },
      free >= LEAST_FREE_BYTES
        ? { outcome: 'ok', says: `${gibibytes} GiB are free on its disk.` }
        : {
            outcome: 'FAILED',
            says: `Only ${gibibytes} GiB are free on its disk. Make room for at least 1 GiB.`,
          },
    ];
  } catch (error) {
    const { message } = error as Error;
    return [
      {
        outcome: 'FAILED',
        says: `The data directory ${dataDir} cannot be used: ${message}. Change its owner, or set NEXUS_DATA_DIR.`,
      },
    ];
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
        { outcome: 'ok', says: `PostgreSQL ${row.version} answers: ${database.place}.` },
        drift < MOST_CLOCK_DRIFT_MS
          ? { outcome: 'ok', says: `Its clock and this machine's differ by ${drift} ms.` }
          : {
              outcome: 'FAILED',
              says: `Its clock and this machine's differ by ${drift} ms. Let both follow a time server (NTP).`,
            },
        { outcome: 'ok', says: schema },
        ...(await checkSettings(database.sql, config)),
        ...(pending === 0 ? await checkBackups(database.sql, config) : []),
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    const advice = config.databaseUrl ? 'Check NEXUS_DATABASE_URL, and that PostgreSQL runs.' : '';
    return [{ outcome: 'FAILED', says: `${(error as Error).message} ${advice}`.trim() }];
  }
}
