/** Who asked for a job. The id says whose it is; the name is for showing. */
export interface Creator {
  name: string;
  userId?: string | undefined;
}
