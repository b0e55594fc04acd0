import { boolean } from '@oclif/core/flags';
import { FOLLOWED_REQUESTS, RECORDED_REQUESTS } from '../../payments/api-request.js';
import { pairFlag } from './flags.js';
import { jsonFlag } from './json-input.js';
import { localLedgerFlag, moneyFlags } from './payment-flags.js';

/** The flags of `paydesk api`: some work only with requests that paydesk records or follows. */
export const apiFlags = {
  ...moneyFlags,
  reason: { ...moneyFlags.reason, summary: `Reason, saved in the ledger with ${RECORDED_REQUESTS}.` },
  ticket: { ...moneyFlags.ticket, summary: `Ticket, saved in the ledger with ${RECORDED_REQUESTS}.` },
  wait: {
    ...moneyFlags.wait,
    summary: `Wait until the payment of ${FOLLOWED_REQUESTS} is settled, or until --timeout (default 5m).`,
  },
  field: pairFlag({ multiple: true, summary: 'Field of the query or body.', exclusive: ['body'] }),
  body: jsonFlag({ summary: 'Request body: a JSON file, or - for stdin.' }),
  paginate: boolean({ summary: 'Read all pages of a list and print them as one list.' }),
  'local-ledger': localLedgerFlag,
};
