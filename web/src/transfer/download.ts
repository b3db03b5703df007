export function downloadText(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  downloadFrom(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Downloads from an address. Without a name, the server decides it. */
export function downloadFrom(url: string, name = ''): void {
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
}
