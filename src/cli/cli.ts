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
  users: { does: 'manage people', load: () => import('./users.ts') },
  keys: { does: 'manage API keys', load: () => import('./keys.ts') },
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
    process.stderr.write(`nexus: ${(error as Error).message}\n`);
    return 1;
  }
}
