// Writes the schemas of the fetched packages into the folder "schemas" of its argument, each with the schemas that it refers to,
// the examples of JSON Forms into "examples", and valid values that json-schema-faker makes of each schema into "values".
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { Worker, isMainThread, parentPort, workerData } = require("node:worker_threads");

const seconds = 2; // for the values of one schema
const limit = 256 * 1024; // bytes of a schema
const load = (name) => require(path.join(process.argv[2] ?? workerData.root, "node/node_modules", name));

// makeValues returns up to three values of a schema. They are the same in each run.
async function makeValues(schema) {
  const faker = load("json-schema-faker/dist/main.cjs");
  let seed = 1;
  const random = () => { seed = (seed * 48271) % 2147483647; return seed / 2147483647; };
  faker.option({
    random, optionalsProbability: 0.7, fixedProbabilities: false, maxItems: 3, minItems: 0, maxLength: 40, ignoreMissingRefs: true,
    failOnInvalidTypes: false, failOnInvalidFormat: false, refDepthMin: 0, refDepthMax: 3, fillProperties: false, reuseProperties: false,
  });
  const values = [];
  for (let i = 0; i < 3; i++) {
    try { values.push(faker.generate(structuredClone(schema))); } catch { /* it has no values for this one */ }
  }
  return values.filter((value) => value !== undefined);
}

// A maker makes values in a thread of its own, which it ends if that takes too long.
class Maker {
  constructor(root) { this.root = root; }

  make(schema) {
    this.worker ??= new Worker(__filename, { workerData: { root: this.root }, resourceLimits: { maxOldGenerationSizeMb: 512 } });
    return new Promise((resolve) => {
      const end = (values) => { clearTimeout(timer); this.worker?.removeAllListeners(); resolve(values); };
      const stop = () => { this.worker?.terminate(); end([]); this.worker = undefined; };
      const timer = setTimeout(stop, seconds * 1000);
      this.worker.once("message", end);
      this.worker.once("error", stop);
      this.worker.postMessage(schema);
    });
  }
}

// idOf returns the address of a schema without its fragment.
const idOf = (schema) => String(schema.$id ?? schema.id ?? "").replace(/#.*$/, "");

// references lists the addresses that a schema refers to.
function references(value, base, found = new Set()) {
  if (Array.isArray(value)) for (const entry of value) references(entry, base, found);
  else if (value && typeof value === "object") {
    for (const [name, member] of Object.entries(value)) {
      if (name === "$ref" && typeof member === "string" && !member.startsWith("#") && URL.canParse(member, base)) {
        found.add(new URL(member, base).href.replace(/#.*$/, ""));
      } else references(member, base, found);
    }
  }
  return found;
}

// bundle returns a schema with the ones that it refers to, of those in its package.
function bundle(schema, known) {
  const root = idOf(schema);
  if (!root || !URL.canParse(root)) return schema;
  const added = new Map();
  const own = JSON.stringify(schema);
  const queue = [schema];
  while (queue.length > 0) {
    const next = queue.pop();
    for (const address of references(next, idOf(next))) {
      if (added.has(address) || !known.has(address) || own.includes(`"$id":"${address}"`)) continue;
      added.set(address, known.get(address));
      queue.push(known.get(address));
    }
  }
  if (added.size === 0) return schema;
  const keyword = schema.$defs && !schema.definitions ? "$defs" : "definitions";
  return { ...schema, [keyword]: { ...schema[keyword], ...Object.fromEntries([...added].map(([address, one]) => [`bundled ${address}`, one])) } };
}

function files(folder, found = []) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    if (["definitions", "bindings"].includes(entry.name)) continue; // They are parts of the others.
    if (entry.isDirectory()) files(path.join(folder, entry.name), found);
    else if (entry.name.endsWith(".json")) found.push(path.join(folder, entry.name));
  }
  return found.sort();
}

function packageSchemas(folder) {
  const schemas = new Map();
  for (const file of files(folder)) {
    const schema = JSON.parse(fs.readFileSync(file, "utf8"));
    if (/json-schema\.org/.test(schema.$schema ?? schema.schema ?? "")) schemas.set(path.relative(folder, file), schema);
  }
  const known = new Map([...schemas.values()].map((schema) => [idOf(schema), schema]));
  return [...schemas].map(([name, schema]) => [name, bundle(schema, known)]);
}

function examples() {
  return load("@jsonforms/examples").getExamples().filter((example) => example.schema)
    .map(({ name, schema, uischema, data }) => ({ name, schema, uischema, data }));
}

async function main(root) {
  const built = path.join(root, "built");
  for (const folder of ["schemas", "examples", "values"]) fs.mkdirSync(path.join(built, folder), { recursive: true });
  const write = (folder, name, value) => fs.writeFileSync(path.join(built, folder, name), JSON.stringify(value, undefined, 1));
  for (const example of examples()) write("examples", `${example.name}.json`, example);
  const schemas = [];
  for (const entry of fs.readdirSync(root).sort()) {
    if (!entry.endsWith(".d") || /^(jsonschema|jsonforms)-/.test(entry)) continue;
    for (const [name, schema] of packageSchemas(path.join(root, entry))) {
      schemas.push([`${entry.replace(/-\d.*$/, "")} ${name.replaceAll("/", " ")}`, schema]);
    }
  }
  for (const file of files(path.join(root, "models"))) schemas.push([`model ${path.basename(file)}`, JSON.parse(fs.readFileSync(file, "utf8"))]);
  const large = [];
  const queue = [...schemas];
  await Promise.all([new Maker(root), new Maker(root)].map(async (maker) => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, schema] = next;
      const text = JSON.stringify(schema);
      if (text.length > limit) { large.push(name); continue; }
      fs.writeFileSync(path.join(built, "schemas", name), text);
      write("values", name, await maker.make(schema));
    }
    maker.worker?.terminate();
  }));
  write(".", "large.json", large.sort());
}

if (isMainThread) main(process.argv[2]);
else parentPort.on("message", async (schema) => parentPort.postMessage(await makeValues(schema)));
