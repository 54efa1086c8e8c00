// check_packed.mjs FOLDER RIG.glb PC2-PATTERN SHAPES: a file that meshoptimizer packed, unpacked by its own decoder (of
// npm, in FOLDER); caches hold its very numbers at rest, and with the shapes at 1 in their last frame.
import fs from 'fs';
const [folder, file, pattern, shapes] = process.argv.slice(2);
const {MeshoptDecoder} = await import(folder + '/node_modules/meshoptimizer/index.js');
await MeshoptDecoder.ready;
const data = fs.readFileSync(file), size = data.readUInt32LE(12);
const gltf = JSON.parse(data.subarray(20, 20 + size).toString());
const bin = data.subarray(28 + size);
const views = gltf.bufferViews.map(view => {
  const packed = view.extensions?.EXT_meshopt_compression;
  if (!packed) return bin.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
  const to = new Uint8Array(packed.count * packed.byteStride), at = packed.byteOffset ?? 0;
  MeshoptDecoder.decodeGltfBuffer(to, packed.count, packed.byteStride, bin.subarray(at, at + packed.byteLength),
    packed.mode, packed.filter);
  return Buffer.from(to);
});
const readers = {5120: ['readInt8', 1, 127], 5121: ['readUInt8', 1, 255], 5122: ['readInt16LE', 2, 32767],
  5123: ['readUInt16LE', 2, 65535], 5126: ['readFloatLE', 4, 1]};
const rows = index => {
  const a = gltf.accessors[index], [read, bytes, scale] = readers[a.componentType];
  const stride = gltf.bufferViews[a.bufferView].extensions?.EXT_meshopt_compression?.byteStride ??
    gltf.bufferViews[a.bufferView].byteStride ?? 3 * bytes;
  const divide = a.normalized ? scale : 1;
  return [...Array(a.count).keys()].map(i => [0, 1, 2].map(k =>
    Math.max(views[a.bufferView][read]((a.byteOffset ?? 0) + i * stride + k * bytes) / divide, a.normalized ? -1 : -Infinity)));
};
let wrong = 0;
gltf.nodes.filter(n => n.mesh !== undefined).forEach((node, n) => {
  const mesh = gltf.meshes[node.mesh], name = node.name ?? mesh.name ?? `part_${n}`;
  const names = mesh.extras?.targetNames ?? mesh.primitives[0].extras?.targetNames ?? [];
  const cache = fs.readFileSync(pattern.replace('{mesh}', name));
  const count = cache.readInt32LE(16), last = cache.readInt32LE(28) - 1;
  const rest = mesh.primitives.flatMap(p => rows(p.attributes.POSITION));
  const posed = rest.map(r => [...r]);
  shapes.split(',').forEach(s => {
    const t = names.indexOf(s);
    if (t >= 0) mesh.primitives.flatMap(p => rows(p.targets[t].POSITION)).forEach((d, i) => d.forEach((v, k) => posed[i][k] += v));
  });
  if (rest.length !== count) throw new Error(`${name}: ${rest.length} vertices, the cache has ${count}`);
  const extent = Math.max(...rest.flat()) - Math.min(...rest.flat());
  let here = 0;
  [[0, rest], [last, posed]].forEach(([frame, points]) => points.forEach((p, i) => {
    const off = Math.max(...p.map((v, k) => Math.abs(v - cache.readFloatLE(32 + 12 * (frame * count + i) + 4 * k))));
    here += !(off < 2e-6 * extent);
  }));
  console.log(`${name}: ${count} vertices, ${here} elsewhere`);
  wrong += here;
});
process.exitCode = wrong ? 1 : 0;
