import './transfer.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download, Upload } from 'lucide-react';
import { useState } from 'react';
import { LibrarySelect } from '../library/library-select.tsx';
import { librariesQuery } from '../library/queries.ts';
import { useSession } from '../session/session.ts';
import { buttonClass } from '../ui/button.tsx';
import { Bookmarklet } from './bookmarklet.tsx';

/** The sections of the settings for import, export and saving from other programs. */
export function TransferSections() {
  const { default_library_id } = useSession();
  const libraries = useQuery(librariesQuery);
  const [libraryId, setLibraryId] = useState<string>();
  const shared = libraries.data?.filter(({ id }) => id !== default_library_id) ?? [];
  const address = (format: string) => `/libraries/${libraryId ?? default_library_id}/export?format=${format}`;
  return (
    <>
      <section className="section">
        <h2 className="section-title">Import and export</h2>
        <p>Import links from Pocket, Instapaper, Readwise, Raindrop, browsers and other programs.</p>
        <div className="transfer-actions">
          <Link to="/import" className={buttonClass('secondary')}>
            <Upload size={16} aria-hidden />
            Import links
          </Link>
        </div>
        <p>
          Export everything that you can read: with texts as JSON, or as bookmarks that other programs can
          import.
        </p>
        <div className="transfer-actions">
          <LibrarySelect
            label="Library to export"
            value={libraryId}
            libraries={shared}
            onChange={setLibraryId}
          />
          <a href={address('json')} download className={buttonClass('secondary')}>
            <Download size={16} aria-hidden />
            Everything (JSON)
          </a>
          <a href={address('html')} download className={buttonClass('secondary')}>
            <Download size={16} aria-hidden />
            Bookmarks (HTML)
          </a>
        </div>
        <p className="field-hint">To export one item as Markdown, use its menu.</p>
      </section>
      <section className="section">
        <h2 className="section-title">Save from other pages</h2>
        <Bookmarklet />
      </section>
    </>
  );
}
