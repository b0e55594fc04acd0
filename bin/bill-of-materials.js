import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is inside the executables, as CycloneDX: no time and no random number in it, so that it can be compared. */
export function billOfMaterials({ files, node, packageFile }) {
  const folders = new Set(
    files.flatMap(
      (file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/'))?.[1] ?? [],
    ),
  );
  const packages = [...folders].map((folder) =>
    JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
  );
  const components = [
    component({ name: 'node', version: node, license: 'MIT' }, 'platform'),
    ...packages.map((file) => component(file, 'library')),
  ];
  const byReference = new Map(components.map((found) => [found['bom-ref'], found]));
  const sorted = [...byReference.values()].sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const digest = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5')}`,
    version: 1,
    metadata: { component: component(packageFile, 'application') },
    components: sorted,
  };
}

function component({ name, version, license }, type) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type,
    'bom-ref': purl,
    name,
    version,
    purl,
    ...(typeof license === 'string' ? { licenses: [{ expression: license }] } : {}),
  };
}
