// SPDX-License-Identifier: LGPL-2.1-or-later

// schema.js SCHEMA FILE...: whether each file is what the JSON schema says, as
// a test each.
"use strict";

const fs = require("fs");
const path = require("path");
const Ajv = require("ajv");

const [schema, ...files] = process.argv.slice(2);
const read = (name) => JSON.parse(fs.readFileSync(name, "utf8"));
// Unknown keywords and the like are errors of the schema.
const validate = new Ajv({ strict: true, strictTypes: false,
                           strictRequired: false }).compile(read(schema));
let failed = 0;
for (const file of files) {
  const good = validate(read(file));
  failed += !good;
  console.log(`${good ? "ok" : "not ok"} - ${path.basename(file)} is as ` +
              `${path.basename(schema)} says`);
  for (const error of (validate.errors || []).slice(0, 5))
    console.log(`# ${error.instancePath} ${error.message}`);
}
process.exit(failed === 0 ? 0 : 1);
