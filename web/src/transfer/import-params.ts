/** A running or finished import, as search params, so that its address leads back to it. */
interface ImportParams {
  /** The ids of its jobs, joined by `_`. */
  jobs?: string;
  total?: number;
  library?: string;
}

const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function readImportParams({ jobs, total, library }: Record<string, unknown>): ImportParams {
  const ids = typeof jobs === 'string' ? jobs.split('_').filter((id) => ID.test(id)) : [];
  return {
    ...(ids.length > 0 && { jobs: ids.join('_') }),
    ...(typeof total === 'number' && total > 0 && { total }),
    ...(typeof library === 'string' && ID.test(library) && { library }),
  };
}
