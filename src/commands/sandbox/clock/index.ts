import SandboxClockShow from './show.js';

export default class SandboxClock extends SandboxClockShow {
  static override summary = 'Show the clock that the sandbox lives by; stop, set, advance or resume it.';
  static override examples = [
    '<%= config.bin %> sandbox clock',
    '<%= config.bin %> sandbox clock stop',
    '<%= config.bin %> sandbox clock advance 7d',
  ];
}
