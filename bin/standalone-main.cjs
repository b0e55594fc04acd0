// What an executable runs first: the program is an asset beside it, with its compiled code where that was made.
const { getAssetKeys, getRawAsset } = require('node:sea');
const { constants, Script } = require('node:vm');

const asset = (name) => (getAssetKeys().includes(name) ? Buffer.from(getRawAsset(name)) : undefined);
const script = new Script(asset('program').latin1Slice(), {
  filename: 'paydesk.cjs',
  cachedData: asset('compiled'),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
script.runInThisContext()(require);
