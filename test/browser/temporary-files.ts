/** Runs `work` with another directory for temporary files, for packages that have no option for it. */
export async function withTemporaryFilesIn<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = directory;
  try {
    return await work();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}
