import { customerArgument } from '../../cli/customer-input.js';
import { linkFlags, useLink } from '../../cli/links.js';
import { expiryNote } from '../../output/views/panel-link.js';
import { ServiceCommand } from '../../cli/service-command.js';

interface PanelLink {
  url: string;
  expiresTime?: string;
}

export default class CustomersPanelLink extends ServiceCommand {
  static override summary = "Make a link to the customer's own panel, where stored methods are managed.";
  static override description = 'Whoever has the link can use it: send it to the customer only.';
  static override examples = [
    '<%= config.bin %> customers panel-link c_881',
    '<%= config.bin %> customers panel-link c_881 --qr',
  ];
  static override args = { customer: customerArgument };
  static override flags = linkFlags;

  async run(): Promise<PanelLink> {
    const { args, flags } = await this.parse(CustomersPanelLink);
    const { client } = await this.session();
    const { url, expiresTime } = await client.panelLink(args.customer);
    this.secrets.add(url);
    const link = this.show(expiresTime === undefined ? { url } : { url, expiresTime }, ({ url }) => [url]);
    this.note(...expiryNote(link, this.now()));
    await useLink(url, flags, (...lines) => this.note(...lines));
    return link;
  }
}
