import SandboxClockShow from './show.js';

export default class SandboxClock extends SandboxClockShow {
  static override summary = 'Show or control the clock of the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox clock',
    '<%= config.bin %> sandbox clock stop',
    '<%= config.bin %> sandbox clock advance 7d',
  ];
}
