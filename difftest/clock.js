'use strict';

// Virtual time. It takes the place of the timers of the platform, so load this
// before anything that uses them.

const realImmediate = setImmediate;

let now = 0;
let arrivals = 0;
let queue = []; // { at, arrival, fn, every, soon }; soon is set for immediates

const insert = (t) => {
    t.arrival = ++arrivals;
    queue.push(t);
    return t;
};

const remove = (t) => {
    queue = queue.filter((other) => other !== t);
};

globalThis.setImmediate = (fn, ...args) => insert({ at: now, soon: true, fn: () => fn(...args) });
globalThis.setTimeout = (fn, ms, ...args) => insert({ at: now + (ms || 0), fn: () => fn(...args) });
globalThis.setInterval = (fn, ms, ...args) =>
    insert({ at: now + ms, every: ms, fn: () => fn(...args) });
globalThis.clearImmediate = globalThis.clearTimeout = globalThis.clearInterval = remove;

// Immediates come before timers, timers by their deadline and then as they were
// armed.
const before = (a, b) => {
    if (!a.soon !== !b.soon) return a.soon;
    if (a.at !== b.at) return a.at < b.at;
    return a.arrival < b.arrival;
};

exports.now = () => now;

exports.reset = () => {
    now = 0;
    queue = [];
};

// run calls what is due until nothing is left, the time is over, or too much
// has happened. Between two callbacks the promises of the platform have their
// turn.
exports.run = async (end) => {
    for (let left = 100000; left > 0; left--) {
        await new Promise((resolve) => realImmediate(resolve));
        const next = queue.reduce((a, b) => (a === null || before(b, a) ? b : a), null);
        if (next === null || next.at > end) return;
        remove(next);
        now = Math.max(now, next.at);
        if (next.every) {
            next.at += next.every;
            insert(next); // itself: its handle stays good
        }
        next.fn();
    }
    throw new Error('the program does too much');
};
