/** Hands something that was made in the page to the person as a file. */
export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  downloadFrom(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** From an address of Nexus, which says itself what the file is called. */
export function downloadFrom(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
