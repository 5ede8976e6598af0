// SPDX-License-Identifier: LGPL-2.1-or-later

// dhat.js DH_VIEW FILE...: what valgrind's own viewer makes of DHAT files,
// without the page around it: its code is run up to the tree that it would
// show.  A line of JSON for each file: each node of the tree with its frames,
// total bytes and blocks, and its children.
"use strict";

const fs = require("fs");
const vm = require("vm");

const viewer = fs.readFileSync(process.argv[2], "utf8");

// The viewer's menu of sort metrics is a part of what it checks.
const ending = `
gSelect = { selectedIndex: 0, childNodes: gSelectData.map(() => ({})) };
gData = JSON.parse(input);
buildTree();
output = JSON.stringify(gRoot, (key, value) =>
  value instanceof TreeNode
    ? { frames: value._frames.map((i) => gData.ftbl[i]),
        bytes: value._totalBytes, blocks: value._totalBlocks,
        children: value._kids || [] }
    : value);
`;

for (const path of process.argv.slice(3)) {
  const page = { input: fs.readFileSync(path, "utf8"), output: "",
                 document: {}, console };
  vm.runInNewContext(viewer + ending, page, { filename: process.argv[2] });
  console.log(page.output);
}
