import { Command, CommanderError } from 'commander';
import { NEXUS_VERSION } from '../platform/version.ts';

/** The commands. Each loads its modules only when it is called: all of them together take most of a second. */
const COMMANDS = {
  serve: { does: 'run Nexus until it is told to stop', load: () => import('./serve.ts') },
  worker: { does: 'run jobs until told to stop', load: () => import('./worker.ts') },
  migrate: {
    does: 'bring the database to this release’s schema (serve does it, too)',
    load: () => import('./migrate.ts'),
  },
  'upgrade-database': {
    does: 'move the embedded PostgreSQL to the major version of this release',
    load: () => import('./upgrade-database.ts'),
  },
  users: { does: 'manage people', load: () => import('./users.ts') },
  keys: { does: 'manage API keys', load: () => import('./keys.ts') },
  backup: {
    does: 'write a backup of the database and the files into one file, while Nexus runs',
    load: () => import('./backup.ts'),
  },
  restore: {
    does: 'restore a backup into an empty database and an empty storage',
    load: () => import('./restore.ts'),
  },
  doctor: {
    does: 'show the configuration in force and check what it needs',
    load: () => import('./doctor.ts'),
  },
};

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCli(argv: string[]): Promise<number> {
  const program = new Command('nexus')
    .description('A reading library for people and teams, on a durable work engine.')
    .version(NEXUS_VERSION, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showHelpAfterError('(nexus --help lists the commands)')
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  nexus serve                                   run Nexus on http://127.0.0.1:8080
  nexus users add ana --role researcher         add a person
  nexus keys create ana --name laptop           make a key for her; it is shown once
  nexus backup nexus.tar                        back up everything into one file
  nexus doctor                                  show the configuration and check what it needs

Configuration is read from NEXUS_… variables and a .env file; docs/configuration.md lists them.`,
    );

  try {
    for (const [name, { does, load }] of Object.entries(COMMANDS)) {
      const command = program.command(name).description(does);
      if (argv[2] === name) (await load()).define(command);
    }
    await program.parseAsync(argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { code } = error as Error & { code?: unknown };
    const isStable = (error as Error).name === 'CommandError';
    process.stderr.write(`nexus: ${isStable ? `${code}: ` : ''}${await messageOf(error as Error)}
`);
    return 1;
  }
}

/** The message of an error. That of a broken connection, such as `write EPIPE`, does not tell that the database is meant. */
async function messageOf(error: Error): Promise<string> {
  // Loaded late, because most commands end well and `nexus --help` needs no driver.
  const { isDatabaseTrouble } = await import('../platform/database/trouble.ts');
  const isBare = error.cause === undefined && isDatabaseTrouble(error);
  return isBare ? `The database is unavailable: ${error.message}` : error.message;
}
