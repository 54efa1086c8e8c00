// validate.cjs FOLDER FILES...: Khronos' validator finds neither errors nor warnings.
const fs = require('fs');
const validator = require(process.argv[2] + '/node_modules/gltf-validator');
(async () => {
  for (const file of process.argv.slice(3)) {
    const {issues} = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)));
    console.log(`${file}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    for (const m of issues.messages) if (m.severity < 2) console.log(m.code, m.pointer, m.message);
    if (issues.numErrors || issues.numWarnings) process.exitCode = 1;
  }
})();
