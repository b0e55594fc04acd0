import type { Child } from 'hono/jsx';
import { shorten } from '../../../../shorten.js';
import type { App } from '../../../domain/apps.js';
import { plain } from '../text.js';
import { Select, type SelectProps } from './pieces.js';

export interface SearchFormProps {
  path: string;
  /** What stands in the search field, and what it was told to be. */
  typed: { text: string; by: string };
  placeholder: string;
  kinds: SelectProps['options'];
  apps: App[];
  app: string | undefined;
  isFiltered: boolean;
  /** Further fields, between what is searched and the app. */
  children?: Child;
}

export function SearchForm(props: SearchFormProps) {
  const { path, typed, placeholder, kinds, apps, app: chosen, isFiltered, children } = props;
  return (
    <form class="card filter" method="get" action={path} role="search">
      <div class="field">
        <label for="q">Search</label>
        <input
          type="search"
          id="q"
          name="q"
          value={typed.text}
          maxlength={200}
          autocomplete="off"
          placeholder={placeholder}
        />
      </div>
      <Select id="by" label="Search in" options={kinds} chosen={typed.by} />
      {children}
      <Select
        id="app"
        label="App"
        options={[
          ['', 'All apps'],
          ...apps.map((app) => [app.app_id, plain(shorten(app.friendly_name, 40))] as const),
        ]}
        chosen={chosen ?? ''}
      />
      <div class="row">
        <button class="primary">Search</button>
        {isFiltered && <a href={path}>Clear</a>}
      </div>
    </form>
  );
}
