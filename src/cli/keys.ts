import { type Command, Option } from 'commander';
import { readBootstrapKeys } from '../app/bootstrap-keys.ts';
import { parseConfig, readEnvironment } from '../app/config.ts';
import { createApiKey, username as usernameSchema } from '../contract/identity.ts';
import { ROLES, type Role } from '../contract/roles.ts';
import { id as idSchema } from '../contract/wire.ts';
import { BOOTSTRAP_ROLES, bootstrapUsername } from '../features/identity/well-known-keys.ts';
import { print, printJson, printTable } from './output.ts';
import { allPages, CLI_ACTOR, parseArguments, withServices } from './session.ts';

interface CreateFlags {
  name: string;
  role?: Role;
  raw?: true;
  requestsPerMinute?: string;
  expires?: string;
  json?: true;
}

export function define(keys: Command): void {
  keys
    .command('create')
    .description('make a key for a person and show it, this once')
    .argument('<username>', 'whose key it is')
    .option('--name <name>', 'what the key is for', 'key')
    .addOption(
      new Option('--role <role>', "at most the person's own, which is the default").choices([...ROLES]),
    )
    .option('--raw', 'allow RAW mode')
    .option('--requests-per-minute <number>', 'what it may do; by default what its role may')
    .option('--expires <time>', 'when it ends, as 2027-01-31T00:00:00Z')
    .option('--json', 'print JSON')
    .action(async (username: string, options: CreateFlags) => {
      const { username: owner = username, ...fields } = parseArguments(createApiKey, {
        username,
        name: options.name,
        role: options.role,
        raw_mode_enabled: options.raw ?? false,
        requests_per_minute: options.requestsPerMinute && Number(options.requestsPerMinute),
        expires_at: options.expires,
      });
      const created = await withServices('keys create', async ({ users, apiKeys }) =>
        apiKeys.create(await users.getByName(owner), fields, CLI_ACTOR),
      );
      if (options.json) return printJson(created);
      print(created.key);
      process.stderr.write(
        `Key ${created.id} of ${created.owner} (${created.role}). It is not shown again.\n`,
      );
    });

  keys
    .command('list')
    .description('list keys, newest first')
    .option('--user <username>', 'only this person’s')
    .option('--json', 'print JSON')
    .action(async (options: { user?: string; json?: true }) => {
      const found = await withServices('keys list', async ({ users, apiKeys }) => {
        const user = options.user && (await users.getByName(parseArguments(usernameSchema, options.user)));
        const owned = user && { user_id: user.id };
        return allPages((query) => apiKeys.list({ ...query, ...owned }));
      });
      if (options.json) return printJson(found);
      printTable(
        ['PREFIX', 'OWNER', 'NAME', 'ROLE', 'STATE', 'LAST USED', 'ID'],
        found.map((key) => [
          key.prefix,
          key.owner,
          key.name,
          key.role,
          key.is_enabled ? 'enabled' : 'disabled',
          key.last_used_at?.toISOString() ?? 'never',
          key.id,
        ]),
      );
    });

  keys
    .command('disable')
    .description('disable a key from the next request on')
    .argument('<id>', 'the key’s id, as `nexus keys list` shows it')
    .action(async (id: string) => {
      const keyId = parseArguments(idSchema, id);
      const key = await withServices('keys disable', ({ apiKeys }) => apiKeys.disable(keyId, CLI_ACTOR));
      print(`Disabled key ${key.prefix}… of ${key.owner}.`);
    });

  keys
    .command('show')
    .description('show the bootstrap keys, the only ones that are kept')
    .addOption(
      new Option('--bootstrap [role]', 'all of them, or just the key of one role')
        .choices([...BOOTSTRAP_ROLES])
        .makeOptionMandatory(),
    )
    .action(async ({ bootstrap }: { bootstrap: true | Role }) => {
      const config = parseConfig(readEnvironment());
      const kept = await readBootstrapKeys(config);
      const shown = kept.filter(({ role }) => bootstrap === true || role === bootstrap);
      if (shown.length === 0) {
        throw new Error(
          `NEXUS_ENV is ${config.env}, and no bootstrap key is set. \`nexus keys create\` makes a key for a person.`,
        );
      }
      if (bootstrap !== true) return print(shown.map(({ key }) => key).join());
      printTable(
        ['USER', 'KEY'],
        shown.map(({ role, key }) => [bootstrapUsername(role), key]),
      );
    });
}
