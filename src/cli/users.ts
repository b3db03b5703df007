import { isIPv6 } from 'node:net';
import { type Command, Option } from 'commander';
import type { Config } from '../app/config.ts';
import { createUser, updateUser, username as usernameSchema } from '../contract/identity.ts';
import { ROLES, type Role } from '../contract/roles.ts';
import type { SignInLink } from '../features/identity/sign-in-links.ts';
import { print, printJson, printTable } from './output.ts';
import { allPages, CLI_ACTOR, parseArguments, withServices } from './session.ts';

export function define(users: Command): void {
  users
    .command('add')
    .description('add a person, together with their default library')
    .argument('<username>', 'letters, digits and . _ @ + -')
    .addOption(
      new Option('--role <role>', 'what they may do; NEXUS_DEFAULT_ROLE by default').choices([...ROLES]),
    )
    .option('--display-name <name>', 'how they are shown; the username by default')
    .option('--json', 'print JSON')
    .action(async (username: string, options: { role?: Role; displayName?: string; json?: true }) => {
      const fields = parseArguments(createUser, {
        username,
        role: options.role,
        display_name: options.displayName,
      });
      const { user, link } = await withServices('users add', async (services, config) => {
        const user = await services.users.create(fields, CLI_ACTOR);
        return { user, link: linkTo(config, await services.signInLinks.create(user, CLI_ACTOR)) };
      });
      if (options.json) return printJson({ ...user, ...link });
      print(`Added ${user.username} (${user.role}), id ${user.id}.`);
      print(`They sign in with ${link.sign_in_url}`);
      print(`once, until ${link.expires_at.toISOString()}. A key: nexus keys create ${user.username}`);
    });

  users
    .command('sign-in-link')
    .description('print a link that signs a person in once, within a day')
    .argument('<username>', 'a new colleague, or somebody who forgot the password')
    .option('--json', 'print JSON')
    .action(async (username: string, options: { json?: true }) => {
      const name = parseArguments(usernameSchema, username);
      const link = await withServices('users sign-in-link', async (services, config) => {
        const user = await services.users.getByName(name);
        return linkTo(config, await services.signInLinks.create(user, CLI_ACTOR));
      });
      if (options.json) return printJson(link);
      print(link.sign_in_url);
      process.stderr.write(`Works once, until ${link.expires_at.toISOString()}.\n`);
    });

  users
    .command('quota')
    .description('say how much a person may store')
    .argument('<username>', 'whom it is for')
    .argument('<megabytes>', 'a number; 0 for no limit; "default" for what NEXUS_STORAGE_QUOTA_MB says')
    .option('--json', 'print JSON')
    .action(async (username: string, megabytes: string, options: { json?: true }) => {
      const name = parseArguments(usernameSchema, username);
      const change = parseArguments(updateUser, {
        storage_quota_mb: megabytes === 'default' ? null : Number(megabytes),
      });
      const user = await withServices('users quota', async ({ users: people }) => {
        const { id } = await people.getByName(name);
        return people.update(id, change, CLI_ACTOR);
      });
      if (options.json) return printJson(user);
      print(`${user.username} may store ${allowance(user.storage_quota_mb)}.`);
    });

  users
    .command('list')
    .description('list people, newest first')
    .option('--json', 'print JSON')
    .action(async (options: { json?: true }) => {
      const found = await withServices('users list', ({ users: people }) => allPages(people.list));
      if (options.json) return printJson(found);
      printTable(
        ['USERNAME', 'ROLE', 'STATE', 'ID'],
        found.map((user) => [user.username, user.role, user.is_enabled ? 'enabled' : 'disabled', user.id]),
      );
    });
}

function allowance(quotaMb: number | null): string {
  if (quotaMb === null) return 'as much as NEXUS_STORAGE_QUOTA_MB says';
  return quotaMb === 0 ? 'as much as they like' : `${quotaMb} MB`;
}

/** Returns the full address of a sign-in link. Without a public URL, it is the address that Nexus listens on. */
function linkTo({ publicUrl, host, port }: Config, { path, expires_at }: SignInLink) {
  const name = isIPv6(host) ? `[${host}]` : host;
  return { sign_in_url: `${publicUrl ?? `http://${name}:${port}`}${path}`, expires_at };
}
