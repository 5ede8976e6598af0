// SPDX-License-Identifier: LGPL-2.1-or-later

// main.mjs FOLDER: all tests of the page; what they make goes to FOLDER.

import { testAdvice } from './advice.mjs';
import { Browser, Tests } from './browser.mjs';
import { testChanges } from './changes.mjs';
import { testChoices } from './choices.mjs';
import { testDetails } from './details.mjs';
import { testHostileNames } from './hostile.mjs';
import { testLargeProfiles } from './large.mjs';
import { testLines } from './lines.mjs';
import { testMeasures } from './measures.mjs';
import { testSame } from './same.mjs';
import { testSandwich } from './sandwich.mjs';
import { testShares } from './shares.mjs';
import { testTimeline } from './timeline.mjs';
import { testUse } from './use.mjs';

const suites = {
  same: testSame,
  measures: testMeasures,
  shares: testShares,
  use: testUse,
  timeline: testTimeline,
  advice: testAdvice,
  details: testDetails,
  choices: testChoices,
  changes: testChanges,
  lines: testLines,
  sandwich: testSandwich,
  hostile: testHostileNames,
  large: testLargeProfiles,
};

const [folder, ...chosen] = process.argv.slice(2);
const tests = new Tests();
const browser = await Browser.start(folder);
try {
  for (const name of chosen.length > 0 ? chosen : Object.keys(suites))
    await suites[name](tests, browser);
} catch (error) {
  tests.check(false, 'the tests run to their end', error.stack);
} finally {
  await browser.stop();
}
process.exit(tests.failures === 0 ? 0 : 1);
