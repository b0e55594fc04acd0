// What an executable runs first: the program is among its assets.
const { getAssetKeys, getRawAsset } = require('node:sea');
const { createLoader } = require('./loader.cjs');

const names = new Set(getAssetKeys());
const load = createLoader({
  build: Buffer.from(getRawAsset('build-id')).latin1Slice(),
  place: process.execPath,
  read: (name) => ({
    code: Buffer.from(getRawAsset(name)).latin1Slice(),
    path: name,
    mark: '',
    shipped: names.has(`${name}.compiled`) ? Buffer.from(getRawAsset(`${name}.compiled`)) : undefined,
  }),
});

load('standalone.js').startStandalone(load);
