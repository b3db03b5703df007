const LONGEST = 100;
/** Windows allows no file with these names. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Returns a function that makes file names of titles, each different from all before it. */
export function createFileNames(extension: string): (title: string | null) => string {
  const used = new Set<string>();
  return (title) => {
    const base = baseName(title ?? '');
    let name = base;
    for (let count = 2; used.has(name.toLowerCase()); count++) name = `${base} (${count})`;
    used.add(name.toLowerCase());
    return `${name}.${extension}`;
  };
}

/** Without signs that a file system, Obsidian or Logseq does not allow. */
function baseName(title: string): string {
  const plain = title
    .replace(/[\\/:*?"<>|#^[\]%\p{Cc}\p{Cf}\p{Surrogate}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const short = [...plain]
    .slice(0, LONGEST)
    .join('')
    .replace(/^[. ]+|[. ]+$/g, '');
  return short === '' || RESERVED.test(short) ? `Untitled ${short}`.trim() : short;
}
