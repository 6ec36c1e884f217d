// What dominoes know, in examples: run by test_counting.py.

import assert from "node:assert";
import { settled, troubles } from "../../centerpiece/web/static/count_hand.js";

const reading = (halves, sure, others = []) => ({ halves, sure, others, worth: 1 });
const names = (hand) => hand.map(({ tile, sure }) => tile.join("-") + (sure ? "" : "?")).join(" ");

// Two of one: the doubtful one becomes what it could be else.
assert.equal(names(settled([reading([4, 3], true), reading([3, 4], false, [[3, 5], [2, 4]])], [])), "3-4 3-5?");
// Another hand has it, and the next likely one too.
assert.equal(names(settled([reading([1, 2], false, [[1, 3], [1, 4]])], [[2, 1], [3, 1]])), "1-4?");
// Nothing else is likely: it stays, and is doubtful.
assert.equal(names(settled([reading([5, 5], true)], [[5, 5]])), "5-5?");

const about = { engine: 6, set: 6, held: [{ name: "Bob", tiles: [[4, 5]] }] };
const why = (hand) => troubles(hand, about).map((trouble) => trouble.why + (trouble.name ?? "")).join(" ");
assert.equal(why([[1, 2], [0, 0]]), "");
assert.equal(why([[6, 6], [4, 5], [1, 2], [1, 2], [3, 7]]), "engine heldBob twice set");
assert.match(why(Array.from({ length: 27 }, (_, at) => [at, at])), /many$/);
console.log("every tile is there once");
