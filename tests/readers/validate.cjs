// validate.cjs FOLDER [--as ORIGINAL] FILES...: Khronos' validator finds neither errors nor warnings, but those that it
// finds in the file that they were made of (- = none). A .gltf with data in its text keeps that, which it calls unwise in
// a .glb.
const fs = require('fs');
const validator = require(process.argv[2] + '/node_modules/gltf-validator');
const look = async file =>
  (await validator.validateBytes(new Uint8Array(fs.readFileSync(file)))).issues.messages.filter(m => m.severity < 2 && m.code !== 'DATA_URI_GLB');
(async () => {
  const files = process.argv.slice(3);
  let known = [];
  while (files.length) {
    const file = files.shift();
    if (file === '--as') {
      const original = files.shift();
      known = original === '-' ? [] : (await look(original)).map(m => m.code + m.pointer);
      continue;
    }
    const messages = (await look(file)).filter(m => !known.includes(m.code + m.pointer));
    console.log(`${file}: ${messages.length} errors and warnings`);
    for (const m of messages) console.log(m.code, m.pointer, m.message);
    if (messages.length) process.exitCode = 1;
  }
})();
