/** What the path of every webhook address begins with; the secret of the listener follows. */
export const WEBHOOK_PATH = '/wh/';
