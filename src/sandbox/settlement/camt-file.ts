// camt.053.001.08, as banks and card acquirers send it: one entry per line of text, booked with what the provider pays
// out; its transaction has what the customer paid, and the charges that the provider kept.

import { signed } from './defects.js';
import type { BookEntry } from './entries.js';
import type { FileFormat } from './file-format.js';

export const camtFile: FileFormat = {
  mediaType: 'application/xml',
  firstLine: 1,
  begin({ appId, since, until, provider }) {
    const [from, to] = [Math.max(since, 0), until].map(timeText);
    return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>${escape(`${appId}-${until}`)}</MsgId><CreDtTm>${to}</CreDtTm></GrpHdr>
<Stmt><Id>${escape(`${provider}-${until}`)}</Id><CreDtTm>${to}</CreDtTm><FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt><Acct><Id><Othr><Id>${escape(appId)}</Id></Othr></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">0.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><DtTm>${from}</DtTm></Dt></Bal>
`;
  },
  write: (entries) => entries.map(entryText).join(''),
  end: () => '</Stmt>\n</BkToCstmrStmt></Document>\n',
};

/** Family and sub-family of a payment by card at a merchant, or the provider's own word where ISO 20022 has none. */
const codes: Readonly<Record<string, string>> = {
  capture: '<Domn><Cd>PMNT</Cd><Fmly><Cd>MCRD</Cd><SubFmlyCd>POSP</SubFmlyCd></Fmly></Domn>',
  refund: '<Domn><Cd>PMNT</Cd><Fmly><Cd>MCRD</Cd><SubFmlyCd>RIMB</SubFmlyCd></Fmly></Domn>',
  chargeback: '<Domn><Cd>PMNT</Cd><Fmly><Cd>MCRD</Cd><SubFmlyCd>UPCT</SubFmlyCd></Fmly></Domn>',
};

function entryText(entry: BookEntry): string {
  const { amount, fee, currency, type } = entry;
  const booked = `<DtTm>${timeText(entry.bookedAt)}</DtTm>`;
  const references = [
    tag('AcctSvcrRef', entry.providerReference),
    tag('EndToEndId', entry.reference),
    tag('TxId', entry.captureId),
  ];
  const charges =
    fee === 0n ? '' : `<Chrgs><Rcrd>${amountText(currency, fee)}<CdtDbtInd>DBIT</CdtDbtInd></Rcrd></Chrgs>`;
  const code = codes[type] ?? `<Prtry><Cd>${escape(type)}</Cd></Prtry>`;
  return `<Ntry>${amountText(currency, amount - fee)}${direction(amount - fee)}<Sts><Cd>BOOK</Cd></Sts><BookgDt>${booked}</BookgDt><ValDt>${booked}</ValDt><BkTxCd>${code}</BkTxCd><NtryDtls><TxDtls><Refs>${references.join('')}</Refs>${amountText(currency, amount)}${direction(amount)}<AmtDtls><TxAmt>${amountText(currency, amount)}</TxAmt></AmtDtls>${charges}</TxDtls></NtryDtls></Ntry>\n`;
}

const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString();

const amountText = (currency: string, hundredths: bigint): string =>
  `<Amt Ccy="${currency}">${signed(hundredths < 0n ? -hundredths : hundredths)}</Amt>`;

const direction = (hundredths: bigint): string =>
  `<CdtDbtInd>${hundredths < 0n ? 'DBIT' : 'CRDT'}</CdtDbtInd>`;

const tag = (name: string, text: string): string => (text === '' ? '' : `<${name}>${escape(text)}</${name}>`);

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A reference may hold the two characters that no XML may contain. */
const escape = (text: string): string =>
  text.replaceAll(/[&<>]/g, (mark) => entities[mark] ?? mark).replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD');
