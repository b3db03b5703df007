import './transfer.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Bookmark, Download, Upload } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { ExportFormat } from '../../../src/contract/export.ts';
import { apiUrl } from '../api/client.ts';
import { LibrarySelect } from '../library/library-select.tsx';
import { librariesQuery } from '../library/queries.ts';
import { savedSearchesQuery } from '../search/saved-searches.tsx';
import { useSession } from '../session/session.ts';
import { Button, buttonClass } from '../ui/button.tsx';
import { showToast } from '../ui/toasts.tsx';

const FORMATS: { format: ExportFormat; name: string; contents: string }[] = [
  {
    format: 'json',
    name: 'Everything (JSON)',
    contents: 'All of it, with the texts. Nexus can import it again.',
  },
  { format: 'md', name: 'Markdown (ZIP)', contents: 'A file for each item, for Obsidian and Logseq.' },
  {
    format: 'html',
    name: 'Bookmarks (HTML)',
    contents: 'Links, tags and notes, for browsers and other programs.',
  },
  {
    format: 'readwise',
    name: 'Highlights (Readwise CSV)',
    contents: 'Your highlights, as Readwise imports them.',
  },
  {
    format: 'jsonld',
    name: 'Highlights (Web Annotations)',
    contents: 'Highlights, notes and tags as JSON-LD.',
  },
];

/** The sections of the settings for import, export and saving from other programs. */
export function TransferSections() {
  const { default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const searches = useQuery(savedSearchesQuery);
  const [chosenId, setChosenId] = useState<string>();
  const shared = libraries.data?.filter(({ id }) => id !== default_library_id) ?? [];
  const search = searches.data?.find(({ id }) => id === chosenId);
  const libraryId = search ? default_library_id : (chosenId ?? default_library_id);
  const address = (format: ExportFormat) => {
    const query = new URLSearchParams({ format, ...(search && { q: search.query }) });
    return apiUrl(`/libraries/${libraryId}/export?${query}`);
  };
  return (
    <>
      <section className="section">
        <h2 className="section-title">Import and export</h2>
        <p>
          Import links with their tags, notes and highlights from Pocket, Instapaper, Readwise, Raindrop,
          Hypothesis, browsers and other programs.
        </p>
        <div className="transfer-actions">
          <Link to="/import" className={buttonClass('secondary')}>
            <Upload size={16} aria-hidden />
            Import links
          </Link>
        </div>
        <p>Export everything that you can read, with your tags, notes and highlights.</p>
        <div className="transfer-actions">
          <LibrarySelect
            label="Library to export"
            value={chosenId}
            libraries={shared}
            searches={searches.data ?? []}
            onChange={setChosenId}
          />
        </div>
        <ul className="transfer-formats">
          {FORMATS.map(({ format, name, contents }) => (
            <li key={format}>
              <a href={address(format)} download className={buttonClass('secondary')}>
                <Download size={16} aria-hidden />
                {name}
              </a>
              <span className="muted">{contents}</span>
            </li>
          ))}
        </ul>
        <p className="field-hint">To export one item as Markdown, use its menu.</p>
      </section>
      <section className="section">
        <h2 className="section-title">Save from other pages</h2>
        <Bookmarklet />
      </section>
    </>
  );
}

/** The code of a bookmarklet that opens the save page in a window or, if that is blocked, in the same tab. */
function bookmarkletFor(origin: string): string {
  const page = JSON.stringify(`${origin}/app/save?url=`);
  return (
    `javascript:(()=>{const u=${page}+encodeURIComponent(location.href)+'&title='+encodeURIComponent(document.title);` +
    `window.open(u,'nexus-save','width=480,height=560')||(location.href=u)})()`
  );
}

/** The bookmarklet as a link to drag, and a button that copies its code. */
function Bookmarklet() {
  const link = useRef<HTMLAnchorElement>(null);
  const code = bookmarkletFor(window.location.origin);
  // Set in an effect because React rejects javascript: addresses. The Content-Security-Policy keeps it from running here.
  useEffect(() => link.current?.setAttribute('href', code), [code]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(code);
      showToast('Copied. Create a bookmark and paste this as its address.');
    } catch {
      showToast('The browser does not allow copying here. Drag the button instead.');
    }
  }

  return (
    <>
      <p>Drag this button to your bookmarks bar. Click it on any page to save that page to Nexus.</p>
      <div className="transfer-actions">
        <a
          ref={link}
          href="/app/save"
          className={buttonClass('secondary')}
          onClick={(event) => {
            event.preventDefault();
            showToast('Drag it to your bookmarks bar and click it there.');
          }}
        >
          <Bookmark size={16} aria-hidden />
          Save to Nexus
        </a>
        <Button look="ghost" onClick={() => void copy()}>
          Copy code
        </Button>
      </div>
      <p className="field-hint">
        On a phone, add Nexus to the home screen in the browser’s menu. It then appears in the share menu.
      </p>
    </>
  );
}
