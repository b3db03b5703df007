import { type Command, Option } from 'commander';
import { createUser } from '../contract/identity.ts';
import { ROLES, type Role } from '../contract/roles.ts';
import { parseArguments } from './arguments.ts';
import { print, printJson, printTable } from './output.ts';
import { allPages, CLI_ACTOR, withServices } from './session.ts';

export function addUsersCommand(program: Command): void {
  const users = program.command('users').description('manage people');

  users
    .command('add')
    .description('add a person, together with their default library')
    .argument('<username>', 'letters, digits and . _ @ + -')
    .addOption(new Option('--role <role>', 'what they may do').choices([...ROLES]).default('researcher'))
    .option('--display-name <name>', 'how they are shown; the username by default')
    .option('--json', 'print JSON')
    .action(async (username: string, options: { role: Role; displayName?: string; json?: true }) => {
      const fields = parseArguments(createUser, {
        username,
        role: options.role,
        display_name: options.displayName,
      });
      const user = await withServices('users add', (services) => services.users.create(fields, CLI_ACTOR));
      if (options.json) return printJson(user);
      print(`Added ${user.username} (${user.role}), id ${user.id}.`);
      print(`Make a key with: nexus keys create ${user.username}`);
    });

  users
    .command('list')
    .description('list people, newest first')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const found = await withServices('users list', ({ users: people }) =>
        allPages(async (cursor) => {
          const { users: rows, page } = await people.list({ limit: 200, cursor });
          return { rows, page };
        }),
      );
      if (options.json) return printJson(found);
      printTable(
        ['USERNAME', 'ROLE', 'STATE', 'ID'],
        found.map((user) => [user.username, user.role, user.disabled_at ? 'disabled' : 'enabled', user.id]),
      );
    });
}
