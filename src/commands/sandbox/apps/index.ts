import SandboxAppsList from './list.js';

export default class SandboxApps extends SandboxAppsList {
  static override summary = 'List, create or change the apps of the sandbox.';
  static override examples = [
    '<%= config.bin %> sandbox apps',
    '<%= config.bin %> sandbox apps create "Second shop"',
    '<%= config.bin %> sandbox apps set app_2f45522583c8 --webhook-url http://127.0.0.1:3000/hooks',
  ];
}
