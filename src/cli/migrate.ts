import type { Command } from 'commander';
import { parseConfig, readEnvironment } from '../app/config.ts';
import { openConfiguredDatabase } from '../app/database.ts';
import { migrate } from '../platform/database/migrator.ts';
import { createLogger } from '../platform/telemetry/logger.ts';
import { print } from './output.ts';

export function define(command: Command): void {
  command.action(async () => {
    const config = parseConfig(readEnvironment());
    const log = createLogger(config.log);
    const database = await openConfiguredDatabase(config, { log, purpose: 'migrate', whenOwned: 'share' });
    try {
      const applied = await migrate(database.sql, database.migrations);
      for (const { name } of applied) print(`applied ${name}`);
      print(`The schema is at version ${database.migrations.length}.`);
    } finally {
      await database.close();
    }
  });
}
