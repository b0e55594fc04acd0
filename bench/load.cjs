// Runs a bundled file as bin/run.js runs the program: load.cjs FOLDER NAME ARGUMENT…
const { createLoader, installed } = require('../bin/loader.cjs');

const [folder, name] = process.argv.splice(2, 2);
createLoader(installed(folder))(name);
