import { recordCustomerChange } from '../../customers/record-change.js';
import { openSession } from '../../cli/desk/session.js';
import { BaseCommand } from '../../cli/runtime/base-command.js';
import { lazyLedger } from '../../cli/desk/desk.js';
import { customerArgument } from '../../cli/flags/customer-input.js';
import { listFlagsFor } from '../../cli/flags/flags.js';
import { linkFlags, useLink } from '../../cli/links.js';
import { expiryNote, panelLinkList, panelLinkView, type PanelLink } from '../../output/views/panel-link.js';

export default class CustomersPanelLink extends BaseCommand {
  static override summary = 'Create a link where a customer manages stored methods.';
  static override description = 'Anyone with this link can use it. Send it only to the customer.';
  static override examples = [
    '<%= config.bin %> customers panel-link c_881',
    '<%= config.bin %> customers panel-link c_881 --qr',
  ];
  static override args = { customer: customerArgument };
  static override flags = { ...linkFlags, ...listFlagsFor(panelLinkList) };

  async run(): Promise<PanelLink> {
    const { args, flags } = await this.parse(CustomersPanelLink);
    const { client, profile } = await openSession(this.context);
    const history = { ledger: lazyLedger(this.context), note: this.note };
    const { url, expiresTime } = await client.panelLink(args.customer);
    this.secrets.add(url);
    await recordCustomerChange(history, profile, { operation: 'panel-link', customerId: args.customer });
    const link = expiresTime === undefined ? { url } : { url, expiresTime };
    await this.showOne(link, panelLinkView, panelLinkList);
    this.note(...expiryNote(link, this.now()));
    await useLink(url, flags, this.note);
    return link;
  }
}
