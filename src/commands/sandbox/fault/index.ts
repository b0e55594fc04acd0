import SandboxFaultList from './list.js';

export default class SandboxFault extends SandboxFaultList {
  static override summary = 'List, add or clear faults in the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox fault',
    '<%= config.bin %> sandbox fault add drop-after-commit --route refund --next 1',
    '<%= config.bin %> sandbox fault clear',
  ];
}
