import { openApiDocument } from './openapi.js';

/** The build puts the text itself in place of this module, so that no start has to make it: see bin/bundle.js. */
export const openApiText = JSON.stringify(openApiDocument());
