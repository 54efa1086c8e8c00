// check_usd.mjs FOLDER [FILE PC2-PATTERN]...: TinyUSDZ, a USD reader that is not ours, reads each FILE; every mesh
// has the points of its own point cache in every frame. FOLDER holds node_modules.
import fs from 'fs';
globalThis.window = {}; // the reader is made for browsers
globalThis.document = {currentScript: null};
Object.defineProperty(process, 'type', {value: 'renderer'});
const [folder, ...jobs] = process.argv.slice(2);
const home = folder + '/node_modules/tinyusdz/';
const init = (await import(home + 'tinyusdz.js')).default;
const usd = await init({wasmBinary: fs.readFileSync(home + 'tinyusdz.wasm')});
function check(file, pattern) {
  const loader = new usd.TinyUSDZLoaderNative();
  if (!loader.loadAsLayerFromBinary(fs.readFileSync(file), file)) {
    console.log('FAILED: cannot be read:', loader.error());
    process.exit(1);
  }
  const text = loader.layerToString();
  const fail = what => {
    console.log('FAILED:', what);
    process.exit(1);
  };
  for (const said of ['upAxis = "Y"', 'metersPerUnit = 1', 'mien:space = "head"', 'def Xform'])
    if (!text.includes(said)) fail('the layer does not say ' + said);
  const meshes = text.split(/def Mesh "/).slice(1);
  if (!meshes.length) fail('there are no meshes');
  for (const mesh of meshes) {
    const name = mesh.slice(0, mesh.indexOf('"'));
    const cache = fs.readFileSync(pattern.replace('{mesh}', name));
    const npoint = cache.readInt32LE(16), nframe = cache.readInt32LE(28);
    if (!mesh.includes('xformOp:transform')) fail(name + ' has no place');
    const samples = mesh.match(/points\.timeSamples = \{\n([\s\S]*?)\n\s*\}/)[1].split('\n');
    if (samples.length !== nframe) fail(`${name}: ${samples.length} of ${nframe} frames`);
    samples.forEach((line, f) => {
      const [code, list] = line.split(/:(.*)/s);
      if (Number(code) !== f + 1) fail(`${name}: time code ${code}`);
      const values = list.match(/-?[\d.]+(e[-+]?\d+)?/g).map(Number);
      if (values.length !== 3 * npoint) fail(`${name}: ${values.length / 3} of ${npoint} points`);
      values.forEach((v, i) => {
        if (!(Math.abs(v - cache.readFloatLE(32 + 4 * (3 * npoint * f + i))) < 1e-6 * Math.max(1, Math.abs(v))))
          fail(`${name}, frame ${f}: value ${i} is ${v}`);
      });
    });
    console.log(`${name}: ${npoint} points, ${nframe} frames`);
  }
}
if (!jobs.length) process.exit(1);
while (jobs.length) check(jobs.shift(), jobs.shift());
