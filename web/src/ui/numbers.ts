export const count = (value: number) => value.toLocaleString();
export const percent = (share: number) => `${Math.round(share * 100)} %`;

/** `3 jobs`, `1 job`. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}
