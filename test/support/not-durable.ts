/** Settings of PostgreSQL for data that need not survive a power loss. */
export const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
